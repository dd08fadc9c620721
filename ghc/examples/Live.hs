-- | A program that serves its eventlog with one line of code. To watch it:
--
-- > GHC_EVENTLOG_UNIX_PATH=/tmp/live.sock ./Live
module Main (main) where

import Control.Concurrent (forkIO, threadDelay)
import Control.Monad (forM_, forever)
import Debug.Trace (traceEventIO)
import Hectic.Eventlog (registerCommand, withEventlog)

main :: IO ()
main = withEventlog $ do
  registerCommand "live" 1 (traceEventIO "live: hello")
  _ <- forkIO . forever $ do
    threadDelay 1000
    traceEventIO "tick"
  forM_ [1 :: Int ..] $ \n -> do
    traceEventIO ("sum " ++ show (sum [1 .. n `mod` 1000000]))
    threadDelay 100
