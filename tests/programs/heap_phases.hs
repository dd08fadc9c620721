-- Phases: the heap grows, is dropped, and grows again with something else; results are needed late.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (forM_)
import qualified Data.IntMap.Strict as IntMap
import qualified Data.Sequence as Seq
import Data.Foldable (toList)
import System.Mem (performMajorGC)

fibs :: [Integer]
fibs = 0 : 1 : zipWith (+) fibs (drop 1 fibs)

grow :: Int -> IntMap.IntMap String
grow n = IntMap.fromList [(k * 7919 `mod` 10007, replicate 5 'x') | k <- [1 .. n]]

queue :: Int -> Seq.Seq (Int, Maybe Integer)
queue n = foldr step Seq.empty [1 .. n]
  where
    step k old = (k, if even k then Just (toInteger k) else Nothing) Seq.<| Seq.drop (k `mod` 2) old

main :: IO ()
main = do
    forM_ [1 .. 4] $ \phase -> do
        forM_ [1000, 2000 .. 8000] $ \n -> do
            let kept = grow (n * phase `div` 2)
            size <- evaluate (IntMap.size kept)
            print (size, sum (map length (IntMap.elems kept)))
        performMajorGC
        let waiting = queue 20000
        print (Seq.length waiting, sum (map fst (toList waiting)))
        print (length (show (fibs !! (phase * 2000))))
    print (sum (map snd (IntMap.toList (IntMap.map length (grow 5000)))))
