-- | Counts the events of a log by type.
module Main (main) where

import Data.Array.IO (IOUArray, getAssocs, newArray, readArray, writeArray)
import Data.Word (Word16)
import Hectic
import System.Environment (getArgs)

main :: IO ()
main = do
  [file] <- getArgs
  counts <- newArray (0, maxBound) 0 :: IO (IOUArray Word16 Int)
  forFile everything file $ \event ->
    readArray counts (eventNumber event) >>= writeArray counts (eventNumber event) . (+ 1)
  found <- getAssocs counts
  putStr (unlines [show number ++ " " ++ show n | (number, n) <- found, n > 0])
