{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Events as libhectic copies them into batches (hectic/batch.h).
module Hectic.Internal.Event where

import Control.Exception (Exception, throwIO)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Internal as B
import qualified Data.ByteString.Unsafe as B
import Data.Text (Text)
import qualified Data.Text as Text
import qualified Data.Text.Encoding as Text
import Data.Text.Encoding.Error (lenientDecode)
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.ForeignPtr (ForeignPtr, mallocForeignPtrBytes, newForeignPtr, plusForeignPtr, withForeignPtr)
import Foreign.Marshal.Alloc (alloca, allocaBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (Ptr, castPtr, nullPtr, plusPtr)
import Foreign.Storable (Storable, peek, peekByteOff, poke, pokeByteOff)
import GHC.Exts (realWorld#)
import GHC.ForeignPtr (unsafeWithForeignPtr)
import GHC.IO (IO (IO))
import System.IO.Unsafe (unsafeInterleaveIO, unsafePerformIO)

import Hectic.Internal.Foreign
import Hectic.Payload (Cap, Nanoseconds, Payload, decode, encode, eventName)

-- | Why a log cannot be read, and the position in its (uncompressed) bytes.
data LogError = LogError
  { logErrorFile :: FilePath
  , logErrorPosition :: !Word64
  , logErrorMessage :: Text
  }
  deriving (Eq)

instance Exception LogError

-- | As the command says it.
instance Show LogError where
  show (LogError file position message) =
    file <> ": " <> Text.unpack message <> (if position > 0 then " (at byte " <> show position <> ")" else "")

-- | The message of an error, and its position.
readError :: Ptr CError -> IO (Word64, Text)
readError failure = do
  position <- peekByteOff failure 8
  message <- allocaBytes 300 $ \text -> c_error_text failure text 300 >>= B.packCString
  pure (position, decodeLenient message)

throwError :: FilePath -> Ptr CError -> IO a
throwError file failure = readError failure >>= throwIO . uncurry (LogError file)

-- | Runs with an error that no function has set yet.
withError :: (Ptr CError -> IO a) -> IO a
withError use = allocaBytes sizeOfError $ \failure -> fillBytes failure 0 sizeOfError >> use failure

decodeLenient :: ByteString -> Text
decodeLenient = Text.decodeUtf8With lenientDecode

-- | The header of a section of a log: the types of its events.
data Header = Header (ForeignPtr CHeader) (ForeignPtr CRenderer)

-- | Owns a header of libhectic. Its renderer is made when it is needed.
ownHeader :: Ptr CHeader -> IO Header
ownHeader header = do
  owned <- newForeignPtr c_header_free header
  renderer <- unsafeInterleaveIO (withForeignPtr owned c_renderer_new >>= newForeignPtr c_renderer_free)
  pure (Header owned renderer)

withHeader :: Header -> (Ptr CHeader -> IO a) -> IO a
withHeader (Header header _) = withForeignPtr header

instance Eq Header where
  a == b = headerBytes a == headerBytes b

instance Show Header where
  show header = "<header of " <> show (B.length (headerBytes header)) <> " bytes>"

-- | The header as it is in the log.
headerBytes :: Header -> ByteString
headerBytes header = unsafePerformIO $ withHeader header $ \h -> alloca $ \length' -> do
  start <- c_header_bytes h length'
  size <- peek length'
  B.packCStringLen (castPtr start, fromIntegral size)

-- | The first header of some bytes, and how many these are. 'Nothing': more bytes are needed.
parseHeader :: ByteString -> Either (Word64, Text) (Maybe (Header, Int))
parseHeader input = unsafePerformIO $ B.unsafeUseAsCStringLen input $ \(start, size) ->
  withError $ \failure -> alloca $ \result -> do
    used <- c_header_parse result (castPtr start) (fromIntegral size) failure
    header <- peek result
    if used > 0
      then do
        owned <- ownHeader header
        pure (Right (Just (owned, fromIntegral used)))
      else do
        (position, message) <- readError failure
        kind <- peekByteOff failure 0 :: IO Word32
        pure (if kind == 0 then Right Nothing else Left (position, message))

-- | A copy of a header of libhectic.
copyHeader :: Ptr CHeader -> IO Header
copyHeader header = alloca $ \length' -> do
  start <- c_header_bytes header length'
  size <- peek length'
  input <- B.packCStringLen (castPtr start, fromIntegral size)
  case parseHeader input of
    Right (Just (copy, _)) -> pure copy
    _ -> throwIO (LogError "" 0 "out of memory")

-- | A section of a log: it has a header, and several if the program was restarted.
data Section = Section
  { sectionNumber :: !Int
  -- ^ from 1
  , sectionHeader :: !Header
  }
  deriving (Eq, Show)

-- | An event. It refers to a copy of the log's bytes that is shared with the other events of its
-- batch (256 KB): 'compact' frees those.
data Event = Event
  { eventSection :: !Section
  , eventRecord :: {-# UNPACK #-} !(ForeignPtr Word8)
  }

field :: Storable a => Event -> Int -> a
field (Event _ record) offset = inline (unsafeWithForeignPtr record (`peekByteOff` offset))
{-# INLINE field #-}

-- | Memory of events does not change.
inline :: IO a -> a
inline (IO run) = case run realWorld# of (# _, a #) -> a
{-# INLINE inline #-}

-- | When it happened, since the log began.
eventTime :: Event -> Nanoseconds
eventTime event = field event 0
{-# INLINE eventTime #-}

-- | The position of the event in the (uncompressed) log, in bytes.
eventPosition :: Event -> Word64
eventPosition event = field event 8
{-# INLINE eventPosition #-}

-- | The number of its type. "Hectic.Payload" has names for those of the catalogue.
eventNumber :: Event -> Word16
eventNumber event = field event 16
{-# INLINE eventNumber #-}

-- | The cap on which it happened; 'Nothing': it belongs to none.
eventCap :: Event -> Maybe Cap
eventCap event = case field event 20 :: Word16 of
  0xffff -> Nothing
  cap -> Just (fromIntegral cap)
{-# INLINE eventCap #-}

-- | The size of its payload, in bytes.
eventSize :: Event -> Int
eventSize event = fromIntegral (field event 18 :: Word16)
{-# INLINE eventSize #-}

eventShape :: Event -> Word16
eventShape event = field event 22

-- | Its payload as it is in the log.
payloadBytes :: Event -> ByteString
payloadBytes event = B.fromForeignPtr (eventRecord event) sizeOfRecord (eventSize event)

-- | What it says.
payload :: Event -> Payload
payload event = decode (eventNumber event) (eventShape event) (payloadBytes event)

-- | A copy that does not keep the memory of the events beside it, once it is evaluated.
compact :: Event -> Event
compact event@(Event section record) = unsafePerformIO $ do
  let size = strideOf (eventSize event)
  copy <- mallocForeignPtrBytes size
  withForeignPtr copy $ \to -> withForeignPtr record $ \from -> B.memcpy to from size
  pure (Event section copy)

-- | The bytes of an event in a batch, for a payload of that size.
strideOf :: Int -> Int
strideOf size = sizeOfRecord + (size + 7) `div` 8 * 8
{-# INLINE strideOf #-}

instance Eq Event where
  a == b =
    eventTime a == eventTime b && eventCap a == eventCap b && eventNumber a == eventNumber b
      && payloadBytes a == payloadBytes b

instance Show Event where
  showsPrec level event =
    showParen (level > 10) $
      showString "Event {eventTime = " . shows (eventTime event)
        . showString ", eventCap = " . shows (eventCap event)
        . showString ", payload = " . shows (payload event) . showString "}"

-- | Its name in the catalogue, such as @GC_START@; 'Nothing': it is not known.
nameOf :: Event -> Maybe Text
nameOf = eventName . eventNumber

-- | An event of a section with that header. 'Nothing': the payload cannot be encoded ('encode'), or
-- the header does not declare the event, or in another shape.
makeEvent :: Section -> Nanoseconds -> Maybe Cap -> Payload -> Maybe Event
makeEvent section time cap content = encode content >>= uncurry (rawEvent section time cap)

-- | The same from the number and the bytes of a payload. If the header declares a size, it is that of
-- the payload, or greater than that of its shape: then zeros follow.
rawEvent :: Section -> Nanoseconds -> Maybe Cap -> Word16 -> ByteString -> Maybe Event
rawEvent section time cap number bytes = unsafePerformIO $ withHeader (sectionHeader section) $ \header -> do
  declared <- c_header_type header number
  if declared == nullPtr
    then pure Nothing
    else do
      size <- peekByteOff declared 2 :: IO Word16
      shape <- peekByteOff declared 32 >>= shapeSize
      let stored = if size == 0xffff then B.length bytes else fromIntegral size
          fits = size == 0xffff || B.length bytes == stored || B.length bytes == fromIntegral shape
          isCap = maybe True (< 0xffff) cap
      if fits && isCap && B.length bytes <= stored && stored <= 65535 then Just . Event section <$> record stored shape else pure Nothing
 where
  record stored shape = do
    memory <- mallocForeignPtrBytes (strideOf stored)
    withForeignPtr memory $ \to -> do
      fillBytes to 0 (strideOf stored)
      poke (castPtr to) time
      pokeByteOff to 16 number
      pokeByteOff to 18 (fromIntegral stored :: Word16)
      pokeByteOff to 20 (maybe 0xffff fromIntegral cap :: Word16)
      pokeByteOff to 22 shape
      B.unsafeUseAsCStringLen bytes $ \(from, length') ->
        B.memcpy (to `plusPtr` sizeOfRecord) (castPtr from) length'
    pure memory

-- | As in a batch.
shapeSize :: Ptr Word8 -> IO Word16
shapeSize shape
  | shape == nullPtr = pure 0xfffe
  | otherwise = do
      variable <- peekByteOff shape 2 :: IO Word8
      if variable /= 0 then pure 0xffff else peekByteOff shape 4

-- | The events of a batch, from an offset on to an end.
foldBatch :: (a -> Event -> IO a) -> Section -> ForeignPtr Word8 -> Int -> a -> IO a
foldBatch step section batch end = go 0
 where
  go !at !a
    | at >= end = pure a
    | otherwise = do
        let next = Event section (batch `plusForeignPtr` at)
        a' <- step a next
        go (at + strideOf (eventSize next)) a'
{-# INLINE foldBatch #-}
