-- Cost-centre stacks that take time: recursion, mutual recursion, CAFs, names that are not ASCII or
-- contain separators, and threads.
module Main (main) where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (evaluate)
import Control.Monad (forM, forM_, when)
import Debug.Trace (traceMarkerIO)
import System.Environment (getArgs)

fibonacci :: Int -> Integer
fibonacci n
    | n < 2 = toInteger n
    | otherwise = fibonacci (n - 1) + fibonacci (n - 2)

collatz, odd', even' :: Int -> Int -> Int
collatz steps 1 = steps
collatz steps n = if even n then even' steps n else odd' steps n
odd' steps n = {-# SCC "odd;step" #-} collatz (steps + 1) (3 * n + 1)
even' steps n = {-# SCC "even-step" #-} collatz (steps + 1) (n `div` 2)

squares :: [Integer]
squares = map (\n -> n * n) [1 .. 30000]

(<+>) :: Integer -> Integer -> Integer
a <+> b = {-# SCC "größe∑" #-} sum [a * n `mod` (b + 7) | n <- [1 .. 40000]]

work :: Int -> IO ()
work n = do
    _ <- evaluate (fibonacci 23)
    _ <- evaluate (maximum (map (collatz 0) [n * 100 .. n * 100 + 1000]))
    _ <- evaluate (toInteger n <+> 12345)
    return ()

main :: IO ()
main = do
    arguments <- getArgs
    let rounds = if null arguments then 12 else read (head arguments)
    print (sum squares)
    dones <- forM [1 .. 3 :: Int] $ \thread -> do
        done <- newEmptyMVar
        _ <- forkIO $ do
            forM_ [1 .. rounds] $ \n -> do
                when (thread == 1) $ traceMarkerIO ("round " ++ show n)
                work (n * thread)
            putMVar done ()
        return done
    mapM_ takeMVar dones
