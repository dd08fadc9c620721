{-# LANGUAGE BangPatterns #-}

-- Where the time goes: in one cost centre, or in five alike.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (forM_, void)
import System.Environment (getArgs)

spin :: Int -> Int
spin n = go n n
  where
    go 0 !x = x
    go k x = go (k - 1) ((x * 1103515245 + 12345) `mod` 2147483648)
{-# NOINLINE spin #-}

work :: [Int] -> IO ()
work parts = forM_ [1 .. 20 :: Int] $ \k -> do
    let [a, b, c, d, e] = map ((+ k) . (* 100000)) parts
    void (evaluate ({-# SCC "one" #-} spin a))
    void (evaluate ({-# SCC "two" #-} spin b))
    void (evaluate ({-# SCC "three" #-} spin c))
    void (evaluate ({-# SCC "four" #-} spin d))
    void (evaluate ({-# SCC "five" #-} spin e))

main :: IO ()
main = do
    args <- getArgs
    work (if args == ["hot"] then [1, 1, 20, 1, 1] else [5, 5, 5, 5, 5])
