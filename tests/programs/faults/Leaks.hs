{-# OPTIONS_GHC -fno-full-laziness #-}

-- Space leaks, and their remedies. Each builds up some 50 MB in 100 steps, whatever the machine, in
-- one thread.
module Leaks (programs) where

import Control.Exception (evaluate)
import Control.Monad (forM_, replicateM_, when)
import Control.Monad.IO.Class (liftIO)
import Control.Monad.State.Strict (StateT, execStateT, modify')
import qualified Data.ByteString as Bytes
import qualified Data.ByteString.Short as Short
import Data.IORef
import Data.List (foldl')
import qualified Data.Map.Lazy as Lazy
import qualified Data.Map.Strict as Map
import Data.Word (Word8)
import Foreign (ForeignPtr, mallocForeignPtrBytes, pokeByteOff, withForeignPtr)
import Pace
import System.Mem (performMajorGC)

programs :: [(String, Seconds -> IO ())]
programs =
    [ ("lazy-sum", lazySum)
    , ("strict-sum", strictSum)
    , ("lazy-foldl", lazyFoldl)
    , ("strict-foldl", strictFoldl)
    , ("lazy-released", lazyReleased)
    , ("lazy-map", lazyMap)
    , ("strict-map", strictMap)
    , ("lazy-state", lazyState)
    , ("strict-state", strictState)
    , ("cache", cache)
    , ("bounded-cache", boundedCache)
    , ("list-twice", listTwice)
    , ("deep-stack", deepStack)
    , ("shallow-stack", shallowStack)
    , ("drag", drag)
    , ("slices", slices)
    , ("copied-slices", copiedSlices)
    , ("pinned", pinned)
    , ("unpinned", unpinned)
    ]

-- A sum that nobody evaluates: modifyIORef adds a thunk each time.
-- To find: thunks (with -hT); growth of live data (without).
lazySum :: Seconds -> IO ()
lazySum seconds = do
    total <- newIORef (0 :: Int)
    steps seconds 100 $ \k -> forM_ [1 .. 10000] $ \n -> modifyIORef total (+ (n + k))
    readIORef total >>= print

-- Its remedy: modifyIORef'. To find: nothing.
strictSum :: Seconds -> IO ()
strictSum seconds = do
    total <- newIORef (0 :: Int)
    steps seconds 100 $ \k -> forM_ [1 .. 10000] $ \n -> modifyIORef' total (+ (n + k))
    readIORef total >>= print

-- foldl with a lazy accumulator, a pair: its components are thunks. To find: as for lazy-sum.
lazyFoldl :: Seconds -> IO ()
lazyFoldl seconds = do
    mean <- newIORef (0 :: Int, 0 :: Int)
    steps seconds 100 $ \k -> modifyIORef' mean (\start -> foldl add start [k .. k + 10000])
    readIORef mean >>= print
  where
    add (total, count) n = (total + n, count + 1)

-- Its remedy: a strict accumulator. To find: nothing.
strictFoldl :: Seconds -> IO ()
strictFoldl seconds = do
    mean <- newIORef (0 :: Int, 0 :: Int)
    steps seconds 100 $ \k -> modifyIORef' mean (\start -> foldl' add start [k .. k + 10000])
    readIORef mean >>= print
  where
    add (total, count) n = let t = total + n; c = count + 1 in t `seq` c `seq` (t, c)

-- The sum is evaluated after three fifths of the run: most samples are small again.
-- To find: thunks (with -hT).
lazyReleased :: Seconds -> IO ()
lazyReleased seconds = do
    total <- newIORef (0 :: Int)
    steps (0.6 * seconds) 100 $ \k -> forM_ [1 .. 10000] $ \n -> modifyIORef total (+ (n + k))
    readIORef total >>= print
    writeIORef total 0
    performMajorGC
    churn (0.4 * seconds)
    readIORef total >>= print

-- Counts in a lazy map: insertWith adds a thunk to a value each time. To find: as for lazy-sum.
lazyMap :: Seconds -> IO ()
lazyMap seconds = do
    counts <- newIORef Lazy.empty
    steps seconds 100 $ \k -> forM_ [1 .. 10000 :: Int] $ \n ->
        modifyIORef' counts (Lazy.insertWith (+) (n `mod` 100) (n + k))
    readIORef counts >>= print . sum . Lazy.elems

-- Its remedy: Data.Map.Strict. To find: nothing.
strictMap :: Seconds -> IO ()
strictMap seconds = do
    counts <- newIORef Map.empty
    steps seconds 100 $ \k -> forM_ [1 .. 10000 :: Int] $ \n ->
        modifyIORef' counts (Map.insertWith (+) (n `mod` 100) (n + k))
    readIORef counts >>= print . sum . Map.elems

data Totals = Totals {_count :: Int, _sum :: Int}

-- A strict state monad, modify', but the fields of the state are lazy. To find: as for lazy-sum.
lazyState :: Seconds -> IO ()
lazyState seconds = do
    kept <- newIORef (Totals 0 0)
    steps seconds 100 $ \k -> do
        before <- readIORef kept
        after <- execStateT (mapM_ add [k .. k + 10000]) before
        writeIORef kept after
    Totals count total <- readIORef kept
    print (count, total)
  where
    add :: Int -> StateT Totals IO ()
    add n = do
        modify' (\(Totals count total) -> Totals (count + 1) (total + n))
        when (n < 0) (liftIO (print n))

-- Its remedy: strict fields. To find: nothing.
strictState :: Seconds -> IO ()
strictState seconds = do
    kept <- newIORef (Totals 0 0)
    steps seconds 100 $ \k -> do
        before <- readIORef kept
        after <- execStateT (mapM_ add [k .. k + 10000]) before
        writeIORef kept after
    Totals count total <- readIORef kept
    print (count, total)
  where
    add :: Int -> StateT Totals IO ()
    add n = do
        modify' $ \(Totals count total) ->
            let c = count + 1; t = total + n in c `seq` t `seq` Totals c t
        when (n < 0) (liftIO (print n))

data Entry = Entry !Int !Int

-- A cache from which nothing is removed: evaluated data that grows.
-- To find: growth (with -hT: of the band of Entry or of the map), and not thunks.
cache :: Seconds -> IO ()
cache seconds = do
    entries <- newIORef Map.empty
    steps seconds 100 $ \k -> forM_ [1 .. 5000] $ \n ->
        modifyIORef' entries (Map.insert (5000 * k + n) (Entry n k))
    readIORef entries >>= print . Map.foldl' (\s (Entry a b) -> s + a + b) 0

-- Its remedy: old entries are removed. To find: nothing.
boundedCache :: Seconds -> IO ()
boundedCache seconds = do
    entries <- newIORef Map.empty
    steps seconds 100 $ \k -> do
        forM_ [1 .. 5000] $ \n -> modifyIORef' entries (Map.insert (5000 * k + n) (Entry n k))
        modifyIORef' entries (snd . Map.split (5000 * (k - 1)))
    readIORef entries >>= print . Map.foldl' (\s (Entry a b) -> s + a + b) 0

-- A list that is kept for its length while its sum is computed. To find: growth, not thunks.
listTwice :: Seconds -> IO ()
listTwice seconds = do
    numbers <- newIORef []
    steps seconds 100 $ \k -> do
        old <- readIORef numbers
        new <- evaluate (foldl' (\some n -> let m = n * k in m `seq` (m : some)) old [1 .. 10000 :: Int])
        writeIORef numbers new
    all' <- readIORef numbers
    print (fromIntegral (sum all') / fromIntegral (length all') :: Double)

-- A recursion that is not a tail call, like mapM in IO over a long list. To find: growth of stacks
-- (with -hT: the band STACK); growth of live data (without).
deepStack :: Seconds -> IO ()
deepStack seconds = do
    step <- newIORef (1 :: Int)
    next <- newIORef []
    let feed k = writeIORef next [k .. k + 9999]
        go = do
            left <- readIORef next
            case left of
                n : more -> writeIORef next more >> go >>= \m -> pure $! m + n
                [] -> do
                    k <- readIORef step
                    writeIORef step (k + 1)
                    steps (seconds / 100) 1 (\_ -> pure ())
                    if k > 100 then pure 0 else feed k >> go
    go >>= print

-- Its remedy: an accumulator. To find: nothing.
shallowStack :: Seconds -> IO ()
shallowStack seconds = do
    total <- newIORef (0 :: Int)
    steps seconds 100 $ \k -> forM_ [k .. k + 9999] $ \n -> modifyIORef' total (+ n)
    readIORef total >>= print

-- A large table that is used only at the beginning, but kept to the end. Only a biographical profile
-- shows that; the log shows the price: long collections of the oldest generation, if there are any.
drag :: Seconds -> IO ()
drag seconds = do
    let table = Map.fromDistinctAscList [(k, Entry k k) | k <- [1 .. 150000 :: Int]]
    print (Map.size table)
    steps seconds 4 (\_ -> performMajorGC)
    print (Map.size table)

-- Slices of 10 bytes keep the 10,000 bytes that they are cut from. To find: growth (with -hT: of
-- ARR_WORDS).
slices :: Seconds -> IO ()
slices seconds = do
    kept <- newIORef []
    steps seconds 100 $ \k -> forM_ [1 .. 100] $ \n -> do
        name <- evaluate (Bytes.take 10 (line (k + n)))
        modifyIORef' kept (name :)
    readIORef kept >>= print . foldl' (\s name -> s + Bytes.length name) 0

line :: Int -> Bytes.ByteString
line n = Bytes.replicate 10000 (fromIntegral n)
{-# NOINLINE line #-}

-- Its remedy: copies. To find: nothing.
copiedSlices :: Seconds -> IO ()
copiedSlices seconds = do
    kept <- newIORef []
    steps seconds 100 $ \k -> forM_ [1 .. 100] $ \n -> do
        name <- evaluate (Bytes.copy (Bytes.take 10 (line (k + n))))
        modifyIORef' kept (name :)
    readIORef kept >>= print . foldl' (\s name -> s + Bytes.length name) 0

-- Many pinned blocks, of which few are kept: each keeps the megablock that it is in.
-- To find: fragmentation.
pinned :: Seconds -> IO ()
pinned seconds = do
    blocks <- mapM block [1 .. 50000]
    performMajorGC
    kept <- evaluate (every 400 blocks)
    replicateM_ 3 performMajorGC
    churn seconds
    mapM_ (\b -> withForeignPtr b (\p -> pokeByteOff p 0 (1 :: Word8))) kept
  where
    block :: Int -> IO (ForeignPtr Word8)
    block _ = mallocForeignPtrBytes 2000
    every :: Int -> [a] -> [a]
    every n xs = case drop n xs of
        [] -> []
        x : others -> let more = every n others in more `seq` (x : more)

-- Its remedy: what is kept is copied, as with Data.ByteString.Short or copy. To find: nothing.
unpinned :: Seconds -> IO ()
unpinned seconds = do
    kept <- mapM block [1 .. 125 :: Int]
    churn seconds
    print (sum (map Short.length kept))
  where
    block n = evaluate (Short.toShort (Bytes.replicate 2000 (fromIntegral n)))
