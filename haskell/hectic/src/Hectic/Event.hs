{-# LANGUAGE OverloadedStrings #-}

-- | Events: when and where they happened, and what they say.
module Hectic.Event
  ( -- * Events
    Event
  , eventTime
  , eventCap
  , eventNumber
  , eventPosition
  , eventSection
  , payload
  , payloadBytes
  , compact
  , nameOf
  , numberNamed
  , stopStatusText
  , Cap
  , ThreadId
  , Nanoseconds
    -- * As text
  , renderText
  , renderLine
  , renderJSON
  , hPutLines
    -- * Sections and headers
  , Section (..)
  , Header
  , EventType (..)
  , headerTypes
  , headerBytes
    -- * Making events
  , newHeader
  , catalogueHeader
  , makeEvent
  , rawEvent
  ) where

import Control.Monad (forM)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Unsafe as B
import Data.Text (Text)
import qualified Data.Text.Encoding as Text
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.C.Types (CSize)
import Foreign.ForeignPtr (withForeignPtr)
import Foreign.Marshal.Alloc (alloca, allocaBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (Ptr, castPtr, nullPtr, plusPtr)
import Foreign.Storable (peek, peekByteOff, pokeByteOff)
import System.IO (Handle, hPutBuf)
import System.IO.Unsafe (unsafePerformIO)

import Hectic.Internal.Event
import Hectic.Internal.Foreign
import Hectic.Payload (Cap, Nanoseconds, ThreadId)

-- | The number of the event with a name of the catalogue: @numberNamed \"GC_START\" == Just 9@.
numberNamed :: Text -> Maybe Word16
numberNamed name = unsafePerformIO $ do
  shape <- B.useAsCString (Text.encodeUtf8 name) c_shape_by_name
  if shape == nullPtr then pure Nothing else Just <$> peekByteOff shape 0

-- | Why a thread stopped, from the @status@ of its STOP_THREAD, as ghc-events says it.
stopStatusText :: Word64 -> Maybe Text
stopStatusText status = unsafePerformIO $ do
  text <- c_enum_text 20 status
  if text == nullPtr then pure Nothing else Just . decodeLenient <$> B.packCString text

-- | A type that a header declares.
data EventType = EventType
  { typeNumber :: !Word16
  , typeSize :: !(Maybe Word16)
  -- ^ of its payload, in bytes; 'Nothing': each event carries its size
  , typeDescription :: Text
  }
  deriving (Eq, Show)

-- | The types in the order of the header.
headerTypes :: Header -> [EventType]
headerTypes header = unsafePerformIO $ withHeader header $ \h -> alloca $ \count -> do
  first <- c_header_types h count
  types <- peek count
  forM [0 .. fromIntegral types - 1] $ \i -> do
    let at = first `plusPtr` (40 * i) :: Ptr Word8
    size <- peekByteOff at 2
    length' <- peekByteOff at 4 :: IO Word32
    description <- peekByteOff at 16
    EventType
      <$> peekByteOff at 0
      <*> pure (if size == 0xffff then Nothing else Just size)
      <*> (decodeLenient <$> B.packCStringLen (description, fromIntegral length'))

-- | A header that declares these types. 'Nothing': a limit of headers is exceeded.
newHeader :: [EventType] -> Maybe Header
newHeader types = unsafePerformIO $ allocaBytes (40 * max 1 (length types)) $ \array ->
  fill array (zip [0 ..] types) $ do
    header <- c_header_new array (fromIntegral (length types) :: CSize)
    if header == nullPtr then pure Nothing else Just <$> ownHeader header
 where
  fill _ [] use = use
  fill array ((i, t) : rest) use = B.unsafeUseAsCStringLen (Text.encodeUtf8 (typeDescription t)) $ \(text, size) -> do
    let at = array `plusPtr` (40 * i) :: Ptr Word8
    fillBytes at 0 40
    pokeByteOff at 0 (typeNumber t)
    pokeByteOff at 2 (maybe 0xffff id (typeSize t))
    pokeByteOff at 4 (fromIntegral size :: Word32)
    pokeByteOff at 16 text
    fill array rest use

-- | What it says, as @hectic show@ and @ghc-events show@ print it: @creating thread 7@.
renderText :: Event -> Text
renderText event = rendered event $ \renderer c -> c_render_text renderer c 0

-- | The line that they print: @1200000: cap 0: creating thread 7@.
renderLine :: Event -> Text
renderLine event = rendered event $ \renderer c -> c_render_line renderer c 0 0

-- | An object of JSON on one line, as @hectic show --json@ prints it.
renderJSON :: Event -> Text
renderJSON event = rendered event c_render_json

rendered :: Event -> (Ptr CRenderer -> Ptr CEvent -> Ptr Word8 -> IO CSize) -> Text
rendered event render = unsafePerformIO $ withRenderable event $ \renderer c bound ->
  allocaBytes bound $ \out -> do
    size <- render renderer c out
    decodeLenient <$> packed out size

-- | A renderer, the event as libhectic has it, and the most bytes that its text needs.
withRenderable :: Event -> (Ptr CRenderer -> Ptr CEvent -> Int -> IO a) -> IO a
withRenderable event@(Event section record) use = withHeader header $ \h -> do
  declared <- c_header_type h (eventNumber event)
  description <- peekByteOff declared 4 :: IO Word32
  withForeignPtr renderer $ \r -> withForeignPtr record $ \from -> allocaBytes sizeOfEvent $ \c -> do
    pokeByteOff c 0 (eventTime event)
    pokeByteOff c 8 (eventPosition event)
    pokeByteOff c 16 (from `plusPtr` sizeOfRecord :: Ptr Word8)
    pokeByteOff c 24 declared
    pokeByteOff c 32 (eventNumber event)
    pokeByteOff c 34 (fromIntegral (eventSize event) :: Word16)
    pokeByteOff c 36 (maybe 0xffff fromIntegral (eventCap event) :: Word16)
    use r (castPtr c) (4096 + fromIntegral description * 6 + eventSize event * 12)
 where
  header@(Header _ renderer) = sectionHeader section

-- | Writes the line of each event, as @hectic inc@ and @ghc-events inc@ print them: an unknown event
-- is its number.
hPutLines :: Handle -> [Event] -> IO ()
hPutLines handle events = allocaBytes capacity (\out -> go out 0 events)
 where
  capacity = 1048576
  go out used [] = hPutBuf handle out used
  go out used (event : rest) = do
    step <- withRenderable event $ \renderer c bound ->
      if used + bound > capacity && used > 0
        then pure Nothing
        else do
          size <- c_render_line renderer c 0 1 (out `plusPtr` used)
          pokeByteOff (out `plusPtr` used) (fromIntegral size) (10 :: Word8)
          pure (Just (used + fromIntegral size + 1))
    case step of
      Nothing -> hPutBuf handle out used >> go out 0 (event : rest)
      Just used' -> go out used' rest

packed :: Ptr Word8 -> CSize -> IO ByteString
packed out size = B.packCStringLen (castPtr out, fromIntegral size)

-- | A header that declares all events of the catalogue, as hectic writes them.
catalogueHeader :: Header
catalogueHeader = maybe (error "out of memory") id (newHeader (unsafePerformIO (concat <$> mapM typeOf [0 .. 4095])))
 where
  typeOf number = do
    shape <- c_shape_by_number number
    if shape == nullPtr then pure [] else do
      variable <- peekByteOff shape 2 :: IO Word8
      size <- peekByteOff shape 4
      label <- peekByteOff shape 32 >>= B.packCString
      pure [EventType number (if variable /= 0 then Nothing else Just size) (decodeLenient label)]
{-# NOINLINE catalogueHeader #-}
