-- Sparks of every fate: converted, fizzled, dud, garbage collected, overflowed.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (forM_)
import Control.Parallel (par, pseq)
import Control.Parallel.Strategies (parList, rseq, using)
import System.Mem (performMajorGC)

fib :: Int -> Integer
fib n = if n < 2 then toInteger n else fib (n - 1) + fib (n - 2)

main :: IO ()
main = do
    converted <- evaluate (sum (map fib (replicate 60 14) `using` parList rseq))
    let fizzles = [fib n | n <- [1 .. 20]]
    fizzled <- evaluate (foldr (\x rest -> x `par` (x + rest)) 0 fizzles)
    dud <- evaluate (converted `par` fizzled `par` (converted + fizzled))
    forM_ [1 .. 20] $ \n -> evaluate (fib (n + 5) `par` n)
    performMajorGC
    let many = [toInteger n * 7 | n <- [1 .. 400 :: Int]]
    overflowed <- evaluate (foldr par () many `pseq` length many)
    print (converted, fizzled, dud, overflowed)
