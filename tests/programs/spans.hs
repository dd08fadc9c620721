-- Spans as ghc-events-analyze has them: consecutive, nested, overlapping in two threads (distinguished
-- by subscripts), around collections, and some without their other end; and markers. The program also
-- measures each itself: "took LABEL NANOSECONDS".
module Main (main) where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar, threadDelay)
import Control.Exception (evaluate)
import Control.Monad (forM_, void)
import Debug.Trace (traceEventIO, traceMarkerIO)
import GHC.Clock (getMonotonicTimeNSec)
import System.Mem (performMajorGC)

timed :: String -> String -> IO () -> IO ()
timed subscript label action = do
    start <- getMonotonicTimeNSec
    traceEventIO ("START " ++ subscript ++ label)
    action
    traceEventIO ("STOP " ++ subscript ++ label)
    stop <- getMonotonicTimeNSec
    traceEventIO ("took " ++ label ++ " " ++ show (stop - start))

main :: IO ()
main = do
    traceEventIO "STOP what was not started"
    timed "" "outer" $ do
        forM_ [1 .. 20 :: Int] $ \i -> do
            timed "" "sum" (void (evaluate (sum [1 .. i * 2000])))
            traceMarkerIO "tick"
        timed "" "collect" performMajorGC
    done <- newEmptyMVar
    forM_ [1, 2 :: Int] $ \i -> forkIO $ do
        timed (show i ++ " ") "worker" (threadDelay (i * 3000))
        putMVar done ()
    takeMVar done >> takeMVar done
    traceEventIO "START what is not stopped"
