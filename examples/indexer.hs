-- Counts the words of documents, with two workers. It leaks: the counts are never evaluated, so that each
-- word adds a thunk (an unevaluated expression) to its entry. With Data.Map.Strict, it does not.
--
--     ghc -threaded -eventlog -rtsopts -outputdir build/examples -o build/examples/indexer examples/indexer.hs
--     hectic run --heap --rts -i0.002 --log indexer.eventlog build/examples/indexer +RTS -N2 -A4m
module Main (main) where

import Control.Concurrent
import Control.Exception (evaluate)
import Control.Monad
import Data.Bits (shiftR, xor)
import Data.IORef
import qualified Data.Map as Map
import Debug.Trace (traceEventIO)
import GHC.Conc (labelThread)

documents, wordsOfDocument, vocabulary :: Int
documents = 1500
wordsOfDocument = 300
vocabulary = 5000

-- | The words of a document, as numbers.
parse :: Int -> [Int]
parse document = take wordsOfDocument (map word (iterate next (document * 7919 + 1)))
  where
    next x = (x * 6364136223846793005 + 1442695040888963407) `mod` 9223372036854775807
    word x = ((x `shiftR` 33) `xor` (x `shiftR` 17)) `mod` vocabulary

main :: IO ()
main = do
    queue <- newMVar [1 .. documents]
    index <- newIORef Map.empty
    finished <- forM [1, 2 :: Int] $ \number -> do
        done <- newEmptyMVar
        thread <- forkIO (worker queue index >> putMVar done ())
        labelThread thread ("worker " ++ show number)
        pure done
    mapM_ takeMVar finished
    counts <- readIORef index
    putStrLn (show (Map.size counts) ++ " words, " ++ show (sum counts) ++ " occurrences")

worker :: MVar [Int] -> IORef (Map.Map Int Int) -> IO ()
worker queue index = do
    next <- modifyMVar queue (\waiting -> pure (drop 1 waiting, take 1 waiting))
    forM_ next $ \document -> do
        found <- during "parse" (let found = parse document in evaluate (sum found) >> pure found)
        during "store" (atomicModifyIORef' index (\counts -> (foldr count counts found, ())))
        when (document `mod` 250 == 0) (traceEventIO ("indexed " ++ show document ++ " documents"))
        worker queue index
  where
    count word = Map.insertWith (+) word 1

-- | A span of the eventlog.
during :: String -> IO a -> IO a
during label action = traceEventIO ("START " ++ label) *> action <* traceEventIO ("STOP " ++ label)
