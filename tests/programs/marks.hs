-- For each line of standard input, writes a marker, then events that fill the buffer of the cap until the runtime
-- has written it, and prints the time at which it had: ms since 1970.
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
module Main (main) where

import Control.Monad (replicateM_, unless)
import Data.Word (Word8)
import Debug.Trace (traceMarkerIO)
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (Ptr)
import Data.Time.Clock.POSIX (getPOSIXTime)
import GHC.Exts (Int (I#), Ptr (Ptr), traceBinaryEvent#)
import GHC.IO (IO (IO))
import System.IO

-- The largest event, and more of them than a buffer of any runtime holds.
size, events :: Int
size = 60000
events = 40

trace :: Ptr Word8 -> IO ()
trace (Ptr address) = let I# n = size in IO $ \s -> (# traceBinaryEvent# address n s, () #)

main :: IO ()
main = do
    hSetBuffering stdout LineBuffering
    allocaBytes size $ \bytes -> fillBytes bytes 0 size >> marks bytes

marks :: Ptr Word8 -> IO ()
marks bytes = do
    end <- isEOF
    unless end $ do
        _ <- getLine
        traceMarkerIO "mark"
        replicateM_ events (trace bytes)
        time <- getPOSIXTime
        print (round (1000 * time) :: Integer)
        marks bytes
