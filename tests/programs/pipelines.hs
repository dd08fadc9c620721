-- Its log is the first one of bench/run: pipelines of threads that pass items through
-- MVars, allocate, create sparks and write messages. The argument is the number of items that each
-- pipeline processes; 210,000 make a log of about 400 MB.
module Main (main) where

import Control.Concurrent
import Control.Monad
import qualified Data.Map.Strict as Map
import Debug.Trace
import GHC.Conc (par, pseq)
import System.Environment (getArgs)

-- Allocates, and creates a spark for a half of it.
work :: Int -> Int
work n = left `par` (right `pseq` (left + right))
  where
    left = total [1 .. 8]
    right = total [5 .. 14]
    total keys = Map.foldl' (+) 0 (Map.fromList [(k * n `mod` 61, k) | k <- keys])

-- The end of the items is negative.
stage :: MVar Int -> MVar Int -> IO ()
stage from to = do
    n <- takeMVar from
    putMVar to $! if n < 0 then n else work n
    unless (n < 0) (stage from to)

pipeline :: Int -> Int -> MVar Int -> IO ()
pipeline items name result = do
    places <- replicateM 4 newEmptyMVar
    zipWithM_ (\from to -> forkIO (stage from to)) places (tail places)
    _ <- forkIO (mapM_ (putMVar (head places)) ([1 .. items] ++ [-1]))
    let collect n sum' = do
            item <- takeMVar (last places)
            when (n `mod` 8 == 0) (traceEventIO ("pipeline " ++ show name ++ " has " ++ show n))
            if item < 0 then putMVar result sum' else collect (n + 1) $! sum' + item
    collect (0 :: Int) 0

main :: IO ()
main = do
    [items] <- map read <$> getArgs
    results <- replicateM 16 newEmptyMVar
    zipWithM_ (\name result -> forkIO (pipeline items name result)) [1 ..] results
    sums <- mapM takeMVar results
    traceMarkerIO "end"
    print (sum sums)
