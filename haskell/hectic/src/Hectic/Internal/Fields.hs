{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- | How the fields of payloads are read and written: what "Hectic.Payload" is generated from.
module Hectic.Internal.Fields
  ( -- * Reading
    Get
  , runGet
  , optional
  , getWord8
  , getWord16
  , getWord32
  , getWord64
  , getString
  , getText
  , getLatin1
  , getTexts
  , getBytes
  , getWord32s
  , at8
  , at16
  , at32
  , at64
    -- * Writing
  , Encoded (..)
  , Put
  , runPut
  , ($?)
  , putWord8
  , putWord16
  , putWord32
  , putWord64
  , putString
  , putText
  , putLatin1
  , putTexts
  , putBytes
  , putWord32s
  ) where

import Control.Monad (ap, replicateM)
import Data.Bits (shiftL, unsafeShiftL, (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Builder as Builder
import qualified Data.ByteString.Char8 as Char8
import qualified Data.ByteString.Lazy as Lazy
import qualified Data.ByteString.Unsafe as Unsafe
import Data.Char (ord)
import Data.Text (Text)
import qualified Data.Text as Text
import qualified Data.Text.Encoding as Text
import Data.Text.Encoding.Error (lenientDecode)
import Data.Word (Word16, Word32, Word64)

-- | Reads fields from a payload, or fails if it ends before.
newtype Get a = Get (forall r. ByteString -> r -> (ByteString -> a -> r) -> r)

instance Functor Get where
  fmap f (Get get) = Get $ \input failed done -> get input failed (\rest a -> done rest (f a))
  {-# INLINE fmap #-}

instance Applicative Get where
  pure a = Get $ \input _ done -> done input a
  {-# INLINE pure #-}
  (<*>) = ap
  {-# INLINE (<*>) #-}

instance Monad Get where
  Get get >>= next = Get $ \input failed done ->
    get input failed $ \rest a -> let Get get' = next a in get' rest failed done
  {-# INLINE (>>=) #-}

-- | Bytes after the last field are ignored.
runGet :: Get a -> ByteString -> Maybe a
runGet (Get get) input = get input Nothing (\_ a -> Just a)
{-# INLINE runGet #-}

-- | A field that a payload may end before.
optional :: Get a -> Get (Maybe a)
optional (Get get) = Get $ \input failed done ->
  if B.null input then done input Nothing else get input failed (\rest a -> done rest (Just a))
{-# INLINE optional #-}

number :: Num a => Int -> Get a
number size = Get $ \input failed done ->
  if B.length input < size
    then failed
    else done (Unsafe.unsafeDrop size input) (fromIntegral (bigEndian size input))
{-# INLINE number #-}

bigEndian :: Int -> ByteString -> Word
bigEndian size input = go 0 0
 where
  go !i !sum'
    | i == size = sum'
    | otherwise = go (i + 1) (sum' `shiftL` 8 .|. fromIntegral (Unsafe.unsafeIndex input i))

-- | Numbers at an offset, which the caller has checked.
at8, at16, at32, at64 :: Num a => ByteString -> Int -> a
at8 input at = fromIntegral (Unsafe.unsafeIndex input at)
at16 input at = fromIntegral (Unsafe.unsafeIndex input at) * 256 + fromIntegral (Unsafe.unsafeIndex input (at + 1))
at32 input at = fromIntegral (word32At input at)
at64 input at = fromIntegral ((fromIntegral (word32At input at) :: Word64) `unsafeShiftL` 32 .|. fromIntegral (word32At input (at + 4)))
{-# INLINE at8 #-}
{-# INLINE at16 #-}
{-# INLINE at32 #-}
{-# INLINE at64 #-}

word32At :: ByteString -> Int -> Word32
word32At input at = byte 0 24 .|. byte 1 16 .|. byte 2 8 .|. byte 3 0
 where
  byte i shift' = fromIntegral (Unsafe.unsafeIndex input (at + i)) `unsafeShiftL` shift'
{-# INLINE word32At #-}

getWord8, getWord16, getWord32, getWord64 :: Num a => Get a
getWord8 = number 1
getWord16 = number 2
getWord32 = number 4
getWord64 = number 8
{-# INLINE getWord8 #-}
{-# INLINE getWord16 #-}
{-# INLINE getWord32 #-}
{-# INLINE getWord64 #-}

-- | All but the last bytes.
getBytes :: Int -> Get ByteString
getBytes after = Get $ \input failed done ->
  let size = B.length input - after
   in if size < 0 then failed else done (Unsafe.unsafeDrop size input) (B.copy (Unsafe.unsafeTake size input))

decoded :: ByteString -> Text
decoded = Text.decodeUtf8With lenientDecode

-- | UTF-8 up to a NUL. Invalid bytes become U+FFFD, as in the other texts.
getString :: Get Text
getString = Get $ \input failed done -> case B.elemIndex 0 input of
  Nothing -> failed
  Just size -> done (Unsafe.unsafeDrop (size + 1) input) (decoded (Unsafe.unsafeTake size input))

-- | UTF-8: all but the last bytes.
getText :: Int -> Get Text
getText after = decoded <$> getBytes after

-- | ISO 8859-1: all but the last bytes.
getLatin1 :: Int -> Get Text
getLatin1 after = Text.pack . Char8.unpack <$> getBytes after

-- | Texts with a NUL after each: all but the last bytes. The last NUL may be missing.
getTexts :: Int -> Get [Text]
getTexts after = split <$> getBytes after
 where
  split input
    | B.null input = []
    | otherwise =
        let (first, rest) = B.break (== 0) input
         in decoded first : split (B.drop 1 rest)

-- | A count of 8 bits, and so many numbers.
getWord32s :: Get [Word32]
getWord32s = do
  count <- getWord8
  replicateM count getWord32

-- | The number of an event, whether its size is variable, and its fields.
data Encoded = Encoded !Word16 !Bool Put

-- | Fields; 'Nothing': a value does not fit.
newtype Put = Put (Maybe Builder.Builder)

instance Semigroup Put where
  Put a <> Put b = Put ((<>) <$> a <*> b)

instance Monoid Put where
  mempty = Put (Just mempty)

-- | 'Nothing': a value does not fit, or the payload is longer than 65,535 bytes.
runPut :: Put -> Maybe ByteString
runPut (Put built) = built >>= check . Lazy.toStrict . Builder.toLazyByteString
 where
  check payload = if B.length payload > 65535 then Nothing else Just payload

infixl 7 $?

-- | A field of a payload of fixed size: 0 if it is missing.
($?) :: Integral n => (Integer -> Put) -> Maybe n -> Put
put $? value = put (maybe 0 toInteger value)

fitting :: forall n m. (Integral n, Integral m, Bounded m) => (m -> Builder.Builder) -> n -> Put
fitting build value
  | toInteger value < 0 || toInteger value > toInteger (maxBound :: m) = Put Nothing
  | otherwise = Put (Just (build (fromIntegral value)))

putWord8, putWord16, putWord32, putWord64 :: Integral n => n -> Put
putWord8 = fitting Builder.word8
putWord16 = fitting Builder.word16BE
putWord32 = fitting Builder.word32BE
putWord64 = fitting Builder.word64BE

putBytes :: ByteString -> Put
putBytes = Put . Just . Builder.byteString

putText, putString, putLatin1 :: Text -> Put
putText = putBytes . Text.encodeUtf8
putString value
  | Text.any (== '\0') value = Put Nothing
  | otherwise = putText value <> putWord8 (0 :: Int)
putLatin1 value
  | Text.any (> '\255') value = Put Nothing
  | otherwise = putBytes (B.pack (map (fromIntegral . ord) (Text.unpack value)))

putTexts :: [Text] -> Put
putTexts = foldMap putString

putWord32s :: [Word32] -> Put
putWord32s values = putWord8 (length values) <> foldMap putWord32 values
