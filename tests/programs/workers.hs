-- Eight threads that work on spans of the same labels at the same time, nested, interrupted, on any
-- cap; and spans that one thread starts and another one stops. Prints the measured times of spans of
-- one thread: THREAD LABEL BEGIN LEAST MOST, in nanoseconds. An argument: how many requests each
-- thread works on.
module Main (main) where

import Control.Concurrent
import Control.Exception (evaluate)
import Control.Monad (forM, forM_, void, when)
import Data.IORef (IORef, modifyIORef', newIORef, readIORef)
import Data.Maybe (listToMaybe)
import Debug.Trace (traceEventIO)
import GHC.Clock (getMonotonicTimeNSec)
import System.Environment (getArgs)

-- Reads the clock on both sides of each message: the span takes at least the time between the inner
-- readings, and at most the time between the outer ones.
timed :: IORef [String] -> String -> String -> IO () -> IO ()
timed results subscript label action = do
    thread <- myThreadId
    before <- getMonotonicTimeNSec
    traceEventIO ("START " ++ subscript ++ label)
    started <- getMonotonicTimeNSec
    action
    ended <- getMonotonicTimeNSec
    traceEventIO ("STOP " ++ subscript ++ label)
    after <- getMonotonicTimeNSec
    let number = drop (length "ThreadId ") (show thread)
        line = [number, label, show before, show (ended - started), show (after - before)]
    modifyIORef' results (unwords line :)

work :: Int -> IO ()
work n = void (evaluate (sum [1 .. n * 3000]))

worker :: Int -> Int -> IO [String]
worker requests number = do
    results <- newIORef []
    forM_ [1 .. requests] $ \i -> timed results "" "request" $ do
        work (number + i `mod` 7)
        forM_ [1 .. i `mod` 3] $ \j -> timed results (show j ++ " ") "query" $ do
            work j
            yield
        when (i `mod` 5 == 0) $ threadDelay 500
        when (i `mod` 4 == 0) $ timed results "" "request" (work 1)
    readIORef results

main :: IO ()
main = do
    requests <- maybe 40 read . listToMaybe <$> getArgs
    done <- forM [1 .. 8] $ \number -> do
        result <- newEmptyMVar
        void (forkIO (worker requests number >>= putMVar result))
        return result
    -- Started here, stopped by threads that end.
    handed <- forM [1 .. 5 :: Int] $ \_ -> do
        stopped <- newEmptyMVar
        traceEventIO "START handed over"
        void (forkIO (traceEventIO "STOP handed over" >> putMVar stopped ()))
        takeMVar stopped
    mapM takeMVar done >>= putStr . unlines . concat
    traceEventIO ("handed over " ++ show (length handed))
