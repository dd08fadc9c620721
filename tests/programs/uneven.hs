-- Four caps log at different rates, so that their buffers fill independently of flushes; threads
-- wait for each other across caps, move between them, start and end. Runs until it is killed, and
-- moves its log between the destinations given, each for MS milliseconds.
module Main (main) where

import Control.Concurrent
import Control.Monad (forM_, forever, replicateM_, void, when)
import Debug.Trace (traceEventIO)
import Hectic.Eventlog (setDestination, startAt)
import System.Environment (getArgs)

-- A pair on two caps that wakes each other.
pair :: Int -> Int -> Int -> Int -> IO ()
pair this other pause size = do
  there <- newEmptyMVar
  back <- newEmptyMVar
  void . forkOn other . forever $ takeMVar there >>= putMVar back . (+ 1)
  void . forkOn this $ do
    let go :: Int -> IO ()
        go n = do
          putMVar there n
          m <- takeMVar back
          traceEventIO (replicate size 'x' ++ show m)
          when (n `mod` 16 == 0) . void . forkIO $ yield >> threadDelay 200
          when (n `mod` 8 == 0) $ threadDelay pause
          go (n + 1)
    go 0

main :: IO ()
main = do
  ms : places <- getArgs
  startAt (head places)
  forM_ [0 .. 3] $ \cap -> pair cap ((cap + 1) `mod` 4) (300 * 6 ^ cap) (1000 `div` (cap + 1))
  replicateM_ 6 . forkIO . forever $ threadDelay 700 >> yield
  when (length places < 2) . forever $ threadDelay 1000000
  forM_ (drop 1 (cycle places)) $ \place -> threadDelay (1000 * read ms) >> setDestination place
