{-# LANGUAGE BangPatterns #-}

-- Programs for the oracle of time profiles: prof NAME.
module Main (main) where

import Control.Concurrent
import Control.Exception (evaluate)
import Control.Monad
import Data.Bits (xor)
import Data.List (foldl')
import System.Environment
import System.Mem (performMajorGC)

-- Names that are not ASCII, or that need quoting; recursion.
fib :: Int -> Integer
fib n = {-# SCC "größe" #-} if n < 2 then toInteger n else fib (n - 1) + fib (n - 2)
{-# NOINLINE fib #-}

-- Mutual recursion: GHC drops what is between two equal cost centres.
even', odd' :: Int -> Bool
even' n = {-# SCC "even'" #-} n == 0 || odd' (n - 1)
odd' n = {-# SCC "odd'" #-} n /= 0 && even' (n - 1)
{-# NOINLINE even' #-}
{-# NOINLINE odd' #-}

-- A CAF.
table :: [Int]
table = map (\x -> (x * 7919) `mod` 10007) [1 .. 400000]
{-# NOINLINE table #-}

total :: [Int] -> Int
total xs = {-# SCC "日本;x" #-} foldl' (+) 0 xs
{-# NOINLINE total #-}

-- The same function below different callers.
burn :: Int -> Int
burn n = {-# SCC "burn" #-} go n 1
  where
    go 0 !acc = acc
    go k !acc = go (k - 1) (acc * 1664525 `xor` k)
{-# NOINLINE burn #-}

callers :: Int -> Int
callers n = {-# SCC "first" #-} burn n + ({-# SCC "second" #-} burn (2 * n) + {-# SCC "third" #-} burn n)
{-# NOINLINE callers #-}

-- Many levels.
deep :: Int -> Int
deep n = {-# SCC "d0" #-} f1 n
  where
    f1 k = {-# SCC "d1" #-} f2 k + burn k
    f2 k = {-# SCC "d2" #-} f3 k + burn k
    f3 k = {-# SCC "d3" #-} f4 k + burn k
    f4 k = {-# SCC "d4" #-} f5 k + burn k
    f5 k = {-# SCC "d5" #-} f6 k + burn k
    f6 k = {-# SCC "d6" #-} f7 k + burn k
    f7 k = {-# SCC "d7" #-} burn k + odd'' k
    odd'' k = if even' (k `mod` 2000) then 1 else 0
{-# NOINLINE deep #-}

loop :: Int -> Int -> Int
loop 0 !acc = acc
loop k !acc = loop (k - 1) (acc * 1664525 `xor` k)
{-# NOINLINE loop #-}

ping, pong :: Int -> Int
ping n = {-# SCC "ping" #-} loop 10000000 n + (if n == 0 then 0 else pong (n - 1))
pong n = {-# SCC "pong" #-} loop 10000000 n + (if n == 0 then 0 else ping (n - 1))
{-# NOINLINE ping #-}
{-# NOINLINE pong #-}

parallel :: Int -> (Int -> IO ()) -> IO ()
parallel count work = do
  done <- forM [1 .. count] $ \i -> do
    var <- newEmptyMVar
    _ <- forkIO (work i >> putMVar var ())
    return var
  mapM_ takeMVar done

run :: String -> IO ()
run "names" = print (fib 27) >> print (length (filter even' [1 .. 1500]))
run "caf" = forM_ [1 .. 5] $ \i -> print (total (map (+ i) table))
run "callers" = forM_ [1 .. 10] $ \i -> print (callers (100000 + i))
run "deep" = forM_ [1 .. 10] $ \i -> print (deep (60000 + i))
run "threads" = parallel 6 $ \i -> do
  void (evaluate ({-# SCC "worker" #-} fib (24 + i)))
  void (evaluate ({-# SCC "sums" #-} total (map (+ i) table)))
  void (evaluate (deep (50000 * i)))
-- Each cost centre runs for milliseconds at a time.
run "coarse" = parallel 4 $ \i -> case i of
  1 -> void (evaluate ({-# SCC "one" #-} loop 100000000 1))
  2 -> void (evaluate ({-# SCC "größe∑" #-} loop 50000000 1 + ({-# SCC "inner;step" #-} loop 50000000 1)))
  3 -> void (evaluate ({-# SCC "callers" #-} callers 20000000))
  _ -> void (evaluate (ping 4))
run "idle" = do
  void (forkIO (forever (threadDelay 3000 >> evaluate (burn 20000))))
  replicateM_ 10 (threadDelay 20000 >> performMajorGC)
run name = error name

main :: IO ()
main = getArgs >>= run . head
