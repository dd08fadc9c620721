-- A program for hectic compare: compared WORK LIVE REQUEST WAIT. It allocates in proportion to WORK, keeps
-- LIVE elements alive, and serves 40 requests, each of REQUEST additions and WAIT microseconds on an MVar.
module Main (main) where

import Control.Concurrent
import Control.Exception (evaluate)
import Control.Monad
import Data.IORef
import Data.List (foldl')
import qualified Data.Map.Strict as Map
import Debug.Trace (traceEventIO)
import System.Environment (getArgs)

-- Allocates a cell for each number.
work :: Int -> Int
work n = length (show (foldl' (\a b -> (a * 31 + b) `mod` 1000003) 7 (map toInteger [1 .. n])))
{-# NOINLINE work #-}

request :: Int -> Int -> IO ()
request additions wait = do
  traceEventIO "START request"
  when (wait > 0) $ do
    done <- newEmptyMVar
    _ <- forkIO (threadDelay wait >> putMVar done ())
    takeMVar done
  _ <- evaluate (work additions)
  traceEventIO "STOP request"

main :: IO ()
main = do
  [size, live, additions, wait] <- map read <$> getArgs
  kept <- newIORef (Map.fromList [(i, i) | i <- [1 .. live :: Int]])
  forM_ [1 .. 40] $ \i -> request (additions + i) wait
  forM_ [1 .. 20] $ \i -> do
    modifyIORef' kept (Map.insert i (work (size + i)))
    when (i `mod` 5 == 0) yield
  readIORef kept >>= print . Map.size
