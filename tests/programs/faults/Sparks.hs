{-# OPTIONS_GHC -fno-cse -fno-full-laziness #-}

-- Sparks that are of no use, and of use.
module Sparks (programs) where

import Control.Exception (evaluate)
import Control.Monad
import GHC.Conc (par)
import Pace
import System.IO.Unsafe (unsafePerformIO)
import System.Mem (performGC)

programs :: [(String, Seconds -> IO ())]
programs =
    [ ("sparks-overflow", overflow)
    , ("sparks-dud", dud)
    , ("sparks-fizzle", fizzle)
    , ("sparks-unused", unused)
    , ("sparks-small", small)
    , ("sparks-good", good)
    ]

-- Work of so many microseconds.
task :: Int -> Int -> Int
task micros n = unsafePerformIO (spin (fromIntegral micros / 1e6) >> evaluate (n + 1))
{-# NOINLINE task #-}

spark :: a -> IO ()
spark x = x `par` pure ()

-- 20,000 sparks at once, five times the size of the pool. To find: sparks_overflowed.
overflow :: Seconds -> IO ()
overflow seconds = during seconds $ \n -> do
    let xs = map (task 10) [n .. n + 20000]
    mapM_ spark xs
    print (sum xs)

-- What is sparked has been evaluated. To find: sparks_dud.
dud :: Seconds -> IO ()
dud seconds = onOtherCaps seconds . during seconds $ \n -> do
    x <- evaluate (task 100 n)
    spark x

-- What is sparked is evaluated at once, while other caps are busy. Caps look at their sparks when no
-- thread can run; for -A64m, since collections count them as dropped. To find: sparks_fizzled.
fizzle :: Seconds -> IO ()
fizzle seconds = onOtherCaps seconds . during seconds $ \n -> do
    forM_ [n .. n + 200] $ \k -> let x = task 100 k in spark x >> evaluate x
    rest 0.001

-- Nobody needs what is sparked, so collections drop it. To find: sparks_collected.
unused :: Seconds -> IO ()
unused seconds = onOtherCaps seconds . steps seconds 10 $ \n -> do
    forM_ [1 .. 1000] $ \k -> spark (task 1000 (n + k))
    performGC

-- Sparks of less than a microsecond. To find: sparks_small.
small :: Seconds -> IO ()
small seconds = during seconds $ \n -> do
    let xs = map (\k -> if even k then k + 1 else k `div` 3) [n .. n + 4000]
    mapM_ spark xs
    rest 0.001
    print (sum xs)

-- 300 sparks of a millisecond at a time. To find: nothing.
good :: Seconds -> IO ()
good seconds = during seconds $ \n -> do
    let xs = map (task 1000) [n .. n + 300]
    mapM_ spark xs
    print (sum xs)
