-- A program and variants of it, for hectic compare: changed VARIANT. Each variant differs in one way from `base`.
module Main (main) where

import Control.Concurrent
import Control.Exception (evaluate)
import Control.Monad
import Data.IORef
import Data.List (foldl')
import qualified Data.Map.Strict as Map
import Debug.Trace (traceEventIO)
import GHC.Conc (par, pseq)
import System.Environment (getArgs)

-- Allocates a cell for each number.
work :: Int -> Int
work n = length (show (foldl' (\a b -> (a * 31 + b) `mod` 1000003) 7 (map toInteger [1 .. n])))
{-# NOINLINE work #-}

-- Takes time, and allocates nothing.
count :: Int -> Int
count n = go n 1
  where
    go :: Int -> Int -> Int
    go 0 x = x
    go i x = go (i - 1) ((x * 31 + i) `rem` 1000003)
{-# NOINLINE count #-}

request :: Int -> IO ()
request size = do
  traceEventIO "START request"
  _ <- evaluate (count size)
  traceEventIO "STOP request"

-- Threads that count, and take a lock around each part.
threads :: (IO () -> IO ()) -> IO ()
threads locked = do
  done <- replicateM 4 $ do
    end <- newEmptyMVar
    _ <- forkIO (forM_ [1 .. 50] (\i -> locked (void (evaluate (count (20000 + i)))) >> yield) >> putMVar end ())
    pure end
  mapM_ takeMVar done

-- Evaluates numbers in parallel; `early`: each is evaluated before another cap can take it.
sparks :: Bool -> Int
sparks early = go [count (40000 + i) | i <- [1 .. 100]]
  where
    go [] = 0
    go (x : xs)
      | early = x `par` (x `pseq` (x + go xs))
      | otherwise = let rest = go xs in x `par` (rest `pseq` (x + rest))

main :: IO ()
main = do
  [variant] <- getArgs
  let is = (== variant)
  lock <- newMVar ()
  kept <- newIORef (Map.fromList [(i, i) | i <- [1 .. if is "pauses" then 120000 else 50000 :: Int]])
  leaked <- newIORef []
  forM_ [1 .. 30] $ \i -> request ((if is "span" then 130000 else 100000) + i)
  threads (if is "lock" then withMVar lock . const else id)
  _ <- evaluate (sparks (is "sparks"))
  _ <- evaluate (count (if is "slower" then 5500000 else 5000000))
  forM_ [1 .. 20] $ \i -> do
    modifyIORef' kept (Map.insert i (work ((if is "allocation" then 105000 else 100000) + i)))
    when (is "leak") $ do
      part <- evaluate (Map.fromList [(j, j) | j <- [1 .. 5000 + i]])
      modifyIORef' leaked (part :)
  readIORef kept >>= print . Map.size
  readIORef leaked >>= print . sum . map Map.size
