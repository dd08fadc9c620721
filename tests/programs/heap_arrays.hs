-- Arrays: boxed and unboxed, mutable, pinned, large objects, and strings in them.
module Main (main) where

import Control.Monad (forM, forM_)
import Data.Array
import Data.Array.IO (IOArray, IOUArray, getElems, newArray, writeArray)
import Data.Array.Unboxed (UArray)
import qualified Data.Array.Unboxed as Unboxed
import Foreign.ForeignPtr (mallocForeignPtrBytes, withForeignPtr)
import Foreign.Storable (peek, poke)
import Data.Word (Word8)

main :: IO ()
main = do
    kept <- forM [1 .. 40] $ \n -> do
        let boxed = listArray (0, n * 50) (map show [n ..]) :: Array Int String
            unboxed = Unboxed.listArray (0, n * 500) [fromIntegral n ..] :: UArray Int Double
        cells <- newArray (0, n * 100) Nothing :: IO (IOArray Int (Maybe String))
        forM_ [0, 3 .. n * 100] $ \i -> writeArray cells i (Just (show i))
        bytes <- newArray (0, n * 1000) 0 :: IO (IOUArray Int Word8)
        writeArray bytes n 7
        pinned <- mallocForeignPtrBytes (n * 200)
        withForeignPtr pinned (`poke` (fromIntegral n :: Word8))
        print (length (boxed ! n), unboxed Unboxed.! n)
        return (boxed, cells, bytes, pinned)
    forM_ kept $ \(boxed, cells, bytes, pinned) -> do
        texts <- getElems cells
        numbers <- getElems bytes
        first <- withForeignPtr pinned peek
        print (sum (fmap length boxed), length (filter (/= Nothing) texts), sum numbers, first)
