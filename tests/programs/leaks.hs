-- Heaps of known shape over time, for `hectic heap`: leaks SHAPE WORK. WORK is the garbage of a step.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (when)
import Data.IORef
import qualified Data.Map.Strict as Map
import System.Environment (getArgs)
import System.IO.Unsafe (unsafePerformIO)

data Session = Session !Int !Int
data Entry = Entry !Int !Int

-- What the program must keep.
{-# NOINLINE sessions #-}
sessions :: IORef [Session]
sessions = unsafePerformIO (newIORef [])

{-# NOINLINE entries #-}
entries :: IORef (Map.Map Int Entry)
entries = unsafePerformIO (newIORef Map.empty)

{-# NOINLINE total #-}
total :: IORef Int
total = unsafePerformIO (newIORef 0)

-- Steps of the run.
steps :: Int
steps = 200

main :: IO ()
main = do
    [shape, work] <- getArgs
    let step number = do
            act shape number
            evaluate (length (filter odd (take (read work) (iterate (* 3) number))))
    mapM_ step [1 .. steps]
    kept <- readIORef sessions
    cached <- readIORef entries
    sumOf <- readIORef total
    print (sum [a + b | Session a b <- kept] + sum [a + b | Entry a b <- Map.elems cached] + sumOf)

act :: String -> Int -> IO ()
act shape number = case shape of
    "list" -> grow 400 -- a leak: sessions are never closed
    "thunks" -> mapM_ (\n -> modifyIORef total (+ n)) [1 .. 400] -- a leak: a sum that nobody evaluates
    "late" -> when (number > steps `div` 4) (grow 400) -- a leak that begins after a quarter
    "slow" -> when (number == 1) (grow 100000) >> grow 40 -- a small leak above a large constant part
    "cache" -> insert 400 (number * 400) -- no leak: a cache of 4,000 entries
    "startup" -> when (number <= steps `div` 3) (grow 400) -- no leak: a table is filled first
    "rounds" -> if number `mod` 40 == 0 then writeIORef sessions [] else grow 400 -- no leak
    "peak" -> if number <= steps `div` 2 then grow 400 else modifyIORef' sessions (drop 400) -- no leak
    "constant" -> when (number == 1) (grow 50000)
    _ -> error "unknown shape"
  where
    grow count = do
        old <- readIORef sessions
        let new = foldr (\n rest -> n `seq` (Session n number : rest)) old [1 .. count]
        _ <- evaluate (length new)
        writeIORef sessions new
    insert count from = do
        old <- readIORef entries
        let new = foldr (\n -> Map.insert n (Entry n number)) old [from .. from + count - 1]
        writeIORef entries $! Map.filterWithKey (\n _ -> n > from - 3600) new
