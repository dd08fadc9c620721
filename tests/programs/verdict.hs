{-# LANGUAGE BangPatterns #-}
{-# OPTIONS_GHC -feager-blackholing -fno-cse -fno-full-laziness #-}

-- Programs for the rules of the verdict, each named by the first argument: it has one property.
module Main (main) where

import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception (evaluate)
import Control.Monad
import Data.IORef
import qualified Data.Map.Strict as Map
import Data.Word (Word8)
import Foreign (ForeignPtr, mallocForeignPtrBytes, pokeByteOff, withForeignPtr)
import Foreign.C.Types (CUInt (..))
import GHC.Conc (numCapabilities, par, pseq)
import System.Environment (getArgs)
import System.Mem (performGC, performMajorGC)

foreign import ccall safe "usleep" usleepSafe :: CUInt -> IO CUInt

foreign import ccall unsafe "usleep" usleepUnsafe :: CUInt -> IO CUInt

-- Computes for about 7 ns times n, without allocating, so nothing interrupts it.
spin :: Int -> Int
spin n = go n n
  where
    go 0 !x = x
    go k x = go (k - 1) ((x * 1103515245 + 12345) `mod` 2147483648)
{-# NOINLINE spin #-}

compute :: Int -> IO ()
compute n = void (evaluate (spin n))
{-# NOINLINE compute #-}

computeOn :: Int -> Int -> IO (MVar ())
computeOn n cap = do
    done <- newEmptyMVar
    _ <- forkOn cap (compute (n + cap) >> putMVar done ())
    pure done

fib :: Int -> Integer
fib n = if n < 2 then 1 else fib (n - 1) + fib (n - 2)
{-# NOINLINE fib #-}

allocate :: Int -> IO ()
allocate n = forM_ [1 .. n] $ \k -> evaluate (fib (12 + k `mod` 2))

inThreads :: [IO ()] -> IO ()
inThreads acts = do
    dones <- forM acts $ \act -> do
        done <- newEmptyMVar
        _ <- forkIO (act >> putMVar done ())
        pure done
    mapM_ takeMVar dones

-- Data that grows, with some work for each part of it.
grow :: Int -> Int -> IO ()
grow parts work = do
    kept <- newIORef Map.empty
    forM_ [1 .. parts] $ \k -> do
        modifyIORef' kept (Map.insert k (show k))
        when (work > 0 && k `mod` 100 == 0) (compute (work + k `mod` 100))
    readIORef kept >>= print . sum . map length . Map.elems

-- Data of the same size, which is replaced piece by piece.
replace :: Int -> Int -> IO ()
replace size turns = do
    kept <- newIORef (Map.fromList [(k, [k, k + 1]) | k <- [1 .. size]])
    forM_ [1 .. turns] $ \k -> modifyIORef' kept (Map.insert (k * 7919 `mod` size) [k, k + 2])
    readIORef kept >>= print . sum . map sum . Map.elems

-- Many pinned blocks, of which few are kept: each keeps the megablock that it is in.
pinned :: IO ()
pinned = do
    blocks <- forM [1 .. 50000 :: Int] $ \_ -> mallocForeignPtrBytes 2000 :: IO (ForeignPtr Word8)
    performMajorGC
    kept <- evaluate (every 400 blocks)
    replicateM_ 3 performMajorGC
    mapM_ (\block -> withForeignPtr block (\p -> pokeByteOff p 0 (1 :: Word8))) kept
  where
    every n xs = case drop n xs of
        [] -> []
        x : rest -> let more = every n rest in more `seq` (x : more)

-- Main waits while they are evaluated.
sparks :: Int -> Int -> IO ()
sparks n size = do
    let xs = map (\k -> fib (size + k `mod` 2)) [1 .. n]
    mapM_ (\x -> x `par` pure ()) xs
    threadDelay 100000
    print (sum xs)

-- All at once, before any result is used.
flood :: Int -> IO ()
flood n = do
    let xs = map (\k -> fib (15 + k `mod` 2)) [1 .. n]
    mapM_ (\x -> x `par` pure ()) xs
    print (sum xs)

dud :: IO ()
dud = forM_ [1 .. 1000 :: Int] $ \k -> do
    x <- evaluate (fib (10 + k `mod` 2))
    x `par` compute 10000

-- Caps look for sparks when the thread waits. Collections would count them as unused instead.
fizzle :: IO ()
fizzle = do
    forM_ [1 .. 1000 :: Int] $ \k -> let x = fib (15 + k `mod` 2) in x `par` void (evaluate x)
    threadDelay 10000

unused :: IO ()
unused = do
    forM_ [1 .. 1000 :: Int] $ \k -> let x = fib (25 + k `mod` 2) in x `par` pure ()
    performGC
    compute 5000000

-- A thread that does not stop for collections, beside one that needs them.
unsafeCalls :: IO ()
unsafeCalls = do
    done <- newEmptyMVar
    _ <- forkOn 1 (replicateM_ 30 (usleepUnsafe 10000 >> yield) >> putMVar done ())
    _ <- forkOn 0 (forever (allocate 100))
    takeMVar done

locked :: IO ()
locked = do
    lock <- newMVar ()
    inThreads (replicate 8 (replicateM_ 10 (withMVar lock (\_ -> usleepSafe 2000))))

timers :: IO ()
timers = inThreads (replicate 4 (replicateM_ 20 (threadDelay 5000)))

-- Data that grows while it is built, and is dropped before more is done.
consume :: Int -> Int -> IO ()
consume size work = do
    kept <- newIORef (Map.fromList [(k, show k) | k <- [1 .. size]])
    readIORef kept >>= print . sum . map length . Map.elems
    writeIORef kept Map.empty
    replicateM_ 3 performMajorGC
    compute work

lockedInSTM :: IO ()
lockedInSTM = do
    free <- newTVarIO True
    inThreads . replicate 8 . replicateM_ 10 $ do
        atomically (readTVar free >>= check >> writeTVar free False)
        _ <- usleepSafe 2000
        atomically (writeTVar free True)

shared :: IO ()
shared = forM_ [1 .. 5 :: Int] $ \k -> do
    let x = spin (8000000 + k)
    dones <- forM [0, 1] $ \cap -> do
        done <- newEmptyMVar
        _ <- forkOn cap (evaluate x >>= putMVar done)
        pure done
    mapM_ takeMVar dones

onOneCap :: IO ()
onOneCap = do
    dones <- forM [1 .. 8 :: Int] $ \t -> do
        done <- newEmptyMVar
        _ <- forkOn 0 (forM_ [1 .. 20] (\k -> compute (300000 + 10 * t + k) >> yield) >> putMVar done ())
        pure done
    mapM_ takeMVar dones

main :: IO ()
main = do
    args <- getArgs
    case args of
        ["compute"] -> compute 30000000
        ["all-caps"] -> forM [0 .. numCapabilities - 1] (computeOn 40000000) >>= mapM_ takeMVar
        ["leak"] -> grow 200000 0
        ["slow-leak"] -> grow 200000 130000
        ["replace"] -> replace 100000 300000
        ["large"] -> replace 800000 300000
        ["pinned"] -> pinned
        ["allocate"] -> allocate 20000
        ["sleep"] -> threadDelay 300000
        ["sparks"] -> sparks 4000 8
        ["large-sparks"] -> sparks 1200 18
        ["flood"] -> flood 20000
        ["dud"] -> dud
        ["fizzle"] -> fizzle
        ["unused"] -> unused
        ["unsafe-calls"] -> unsafeCalls
        ["locked"] -> locked
        ["timers"] -> timers
        ["consume"] -> consume 200000 10000000
        ["locked-in-stm"] -> lockedInSTM
        ["shared"] -> shared
        ["on-one-cap"] -> onOneCap
        _ -> error "verdict: which?"
