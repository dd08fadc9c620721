-- The program of `make demo`: counts the primes below a limit in labeled worker threads, which
-- take their slices from one queue, then adds up Euler's phi in sparks. Markers name the phases.
module Main (main) where

import Control.Concurrent
import Control.Exception (evaluate)
import Control.Monad (forM)
import Control.Parallel.Strategies (parListChunk, rseq, withStrategy)
import Debug.Trace (traceEventIO, traceMarkerIO)
import GHC.Conc (labelThread)

main :: IO ()
main = do
    traceMarkerIO "primes"
    found <- countPrimes 4 (slices 100 30000)
    traceEventIO ("found " ++ show found ++ " primes")
    traceMarkerIO "phi"
    total <- evaluate (sum (withStrategy (parListChunk 8 rseq) (map phi [1 .. 800])))
    traceEventIO ("the phis add up to " ++ show total)
    traceMarkerIO "done"
    print (found, total)

slices :: Int -> Int -> [(Int, Int)]
slices width limit = [(from, min limit (from + width) - 1) | from <- [0, width .. limit - 1]]

countPrimes :: Int -> [(Int, Int)] -> IO Int
countPrimes workers work = do
    queue <- newMVar work
    results <- forM [1 .. workers] $ \number -> do
        result <- newEmptyMVar
        thread <- forkIO (worker queue 0 >>= putMVar result)
        labelThread thread ("worker " ++ show number)
        return result
    sum <$> mapM takeMVar results

worker :: MVar [(Int, Int)] -> Int -> IO Int
worker queue found = do
    next <- modifyMVar queue $ \work -> return (drop 1 work, take 1 work)
    case next of
        [] -> return found
        (slice : _) -> do
            here <- evaluate (primesIn slice)
            yield
            worker queue (found + here)

primesIn :: (Int, Int) -> Int
primesIn (from, to) = length (filter isPrime [from .. to])

isPrime :: Int -> Bool
isPrime n = n > 1 && all (\d -> n `rem` d /= 0) (takeWhile (\d -> d * d <= n) [2 ..])

phi :: Int -> Int
phi n = length (filter ((== 1) . gcd n) [1 .. n])
