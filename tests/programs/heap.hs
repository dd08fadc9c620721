-- Work for profiles and collectors: grows a map and a list, throws parts away, keeps the rest.
module Main (main) where

import Control.Concurrent (threadDelay)
import Control.Exception (evaluate)
import Control.Monad (foldM_, forM_)
import qualified Data.Map.Strict as Map
import System.Environment (getArgs)

main :: IO ()
main = do
    arguments <- getArgs
    let rounds = if null arguments then 6 else read (head arguments)
    foldM_ step Map.empty [1 .. rounds]

step :: Map.Map Int [Int] -> Int -> IO (Map.Map Int [Int])
step old number = do
    let new = shrink (grow number old)
    size <- evaluate ({-# SCC "weigh" #-} sum (map length (Map.elems new)))
    forM_ [1 .. size `mod` 3] (const (threadDelay 500))
    return new

grow :: Int -> Map.Map Int [Int] -> Map.Map Int [Int]
grow number old = foldr insert old [1 .. 2000]
  where
    insert key = {-# SCC "insert" #-} Map.insert (number * 1000 + key) [key .. key + 10]

shrink :: Map.Map Int [Int] -> Map.Map Int [Int]
shrink = {-# SCC "shrink" #-} Map.filterWithKey (\key _ -> key `mod` 3 /= 0)
