-- Messages, markers, labels and binary messages that are difficult for tools.
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
module Main (main) where

import Control.Concurrent (myThreadId)
import Control.Monad (forM_)
import Debug.Trace (traceEventIO, traceMarkerIO)
import Foreign.Marshal.Array (withArrayLen)
import Foreign.Ptr (Ptr, castPtr)
import Data.Word (Word8)
import GHC.Conc (labelThread)
import GHC.Exts (Int (I#), Ptr (Ptr), traceBinaryEvent#)
import GHC.IO (IO (IO))

texts :: [String]
texts =
    [ ""
    , "plain"
    , "two\nlines, a tab\t, a return\r, a bell\a, an escape \ESC[31mred\ESC[0m, a delete \DEL"
    , "quotes \" ' ` and \\ backslashes \\n <b>&amp;</b> %s %n {field}"
    , "Grüße aus Köln"
    , "Ελληνικά, русский, עברית, العربية, हिन्दी, ไทย"
    , "日本語 中文 한국어"
    , "🚂 👩\x200d\x1f4bb 🇩🇪 e\x301 \x202ertl\x202c \xfeff \x2028"
    , "the last of them: \x10ffff"
    , " leading and trailing "
    , "START x"
    , "STOP x"
    , concat (replicate 3000 "long ")
    , replicate 5000 '長'
    ]

binary :: [Word8] -> IO ()
binary bytes = withArrayLen bytes $ \length' pointer -> emit (castPtr pointer) length'
  where
    emit :: Ptr () -> Int -> IO ()
    emit (Ptr address) (I# size) = IO $ \s -> (# traceBinaryEvent# address size s, () #)

main :: IO ()
main = do
    self <- myThreadId
    forM_ texts $ \text -> traceEventIO text >> traceMarkerIO text
    forM_ (take 12 texts) (labelThread self)
    binary []
    binary [0 .. 255]
    binary (map (fromIntegral . fromEnum) "plain words")
    binary (replicate 2000 0)
