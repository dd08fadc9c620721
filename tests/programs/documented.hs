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
            forM_ [1 .. 3] $ \part -> evaluate (sum [part .. n * 200 + worker])
            threadDelay 10000
            traceEventIO "STOP x"
        putMVar done ()
    replicateM_ 8 (takeMVar done)
    traceMarkerIO "end"
