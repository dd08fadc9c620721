-- Keeps its caps busy for a while: threads that compute, allocate, yield and print
-- their results. The argument is the number of rounds. The output is the same in every run.
module Main (main) where

import Control.Concurrent
import Control.Exception (evaluate)
import Control.Monad
import Debug.Trace
import System.Environment (getArgs)

worker :: Int -> Int -> IO ()
worker rounds name = forM_ [1 .. rounds] $ \n -> do
    digits <- evaluate (length (show (product [1 .. 200 + toInteger (n `mod` 50)])))
    traceEventIO ("worker " ++ show name ++ " round " ++ show n ++ ": " ++ show digits)
    yield

main :: IO ()
main = do
    [rounds] <- map read <$> getArgs
    ends <- forM [1 .. 8] $ \name -> do
        end <- newEmptyMVar
        _ <- forkFinally (worker rounds name) (const (putMVar end ()))
        pure end
    mapM_ takeMVar ends
    traceMarkerIO "end"
