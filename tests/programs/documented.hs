-- The Main.hs for the commands of README.md: for about a second some threads work in
-- spans, between markers, and wait for each other.
module Main (main) where

import Control.Concurrent
import Control.Exception (evaluate)
import Control.Monad (forM_, replicateM_)
import Debug.Trace (traceEventIO, traceMarkerIO)

main :: IO ()
main = do
    traceMarkerIO "start"
    done <- newEmptyMVar
    forM_ [1 .. 8 :: Int] $ \worker -> forkIO $ do
        forM_ [1 .. 110 :: Int] $ \n -> do
            traceEventIO "START x"
            _ <- evaluate (sum [1 .. n * 100 + worker])
            threadDelay 10000
            traceEventIO "STOP x"
        putMVar done ()
    replicateM_ 8 (takeMVar done)
    traceMarkerIO "end"
