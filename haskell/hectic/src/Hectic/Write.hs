-- | Logs from events. A file appears under its name when it is complete: what had the name, also a
-- link, is replaced.
module Hectic.Write
  ( writeEventLogToFile
  , writeInFileOrder
  , encodeEvent
  ) where

import Control.Exception (bracketOnError)
import Control.Monad (foldM)
import qualified Data.ByteString as B
import Data.ByteString.Builder (Builder)
import qualified Data.ByteString.Builder as Builder
import qualified Data.ByteString.Lazy as Lazy
import Data.List (groupBy)
import qualified Data.Map.Strict as Map
import Data.Word (Word16)
import Foreign.Ptr (nullPtr)
import Foreign.Storable (peekByteOff)
import System.Directory (removeFile, renameFile)
import System.FilePath (takeDirectory, takeFileName)
import System.IO (hClose, openBinaryTempFileWithDefaultPermissions)
import System.IO.Unsafe (unsafePerformIO)

import Hectic.Event hiding (Header)
import Hectic.Internal.Event (Header (..), withHeader)
import Hectic.Internal.Foreign (c_header_type)

-- | An event as it is in a log: its type, time, size if that varies, and payload.
encodeEvent :: Event -> Builder
encodeEvent event = encodeAs (declaredSize (sectionHeader (eventSection event)) (eventNumber event)) event

encodeAs :: Maybe Word16 -> Event -> Builder
encodeAs size event =
  Builder.word16BE (eventNumber event)
    <> Builder.word64BE (eventTime event)
    <> (if size == Just 0xffff then Builder.word16BE (fromIntegral (B.length bytes)) else mempty)
    <> Builder.byteString bytes
 where
  bytes = payloadBytes event

-- | Of an event's payload; 0xffff: variable. 'Nothing': the header does not declare it.
declaredSize :: Header -> Word16 -> Maybe Word16
declaredSize header number = unsafePerformIO $ withHeader header $ \h -> do
  declared <- c_header_type h number
  if declared == nullPtr then pure Nothing else Just <$> peekByteOff declared 2

-- | Writes events as they are, with their block markers: from all events of a sound log in the
-- order of the file, such as those of 'Hectic.Incremental.parseLog', the same bytes.
writeInFileOrder :: FilePath -> [Event] -> IO ()
writeInFileOrder = writeSections (foldMap encodeEvent)

-- | Writes events that are in order of time, such as those of 'Hectic.Log.readEvents': the events
-- of a cap are put into blocks of their own. Memory is that of 10,000 events.
writeEventLogToFile :: FilePath -> [Event] -> IO ()
writeEventLogToFile = writeSections (foldMap block . byCap)

pieces :: [Event] -> [[Event]]
pieces events = case splitAt 10000 events of
  ([], _) -> []
  (piece, rest) -> piece : pieces rest

-- | The events of each cap, without the markers of their former blocks.
byCap :: [Event] -> [[Event]]
byCap events =
  Map.elems (Map.fromListWith (++) [(eventCap event, [event]) | event <- reverse events, eventNumber event /= blockMarker])

blockMarker :: Word16
blockMarker = 18

-- | A block of events of a cap; without a marker if the header does not declare that.
block :: [Event] -> Builder
block [] = mempty
block events@(first : _)
  | declaredSize (sectionHeader (eventSection first)) blockMarker == Nothing = Builder.lazyByteString encoded
  | otherwise =
      Builder.word16BE blockMarker
        <> Builder.word64BE (eventTime first)
        <> Builder.word32BE (fromIntegral (24 + Lazy.length encoded))
        <> Builder.word64BE (eventTime (last events))
        <> Builder.word16BE (maybe 0xffff fromIntegral (eventCap first))
        <> Builder.lazyByteString encoded
 where
  encoded = Builder.toLazyByteString (foldMap encodeEvent events)

-- | A section of the file for each section of the events, in constant memory.
writeSections :: ([Event] -> Builder) -> FilePath -> [Event] -> IO ()
writeSections _ file [] = ioError (userError (file ++ ": a log needs at least one event, which has its header"))
writeSections encoded file events =
  bracketOnError (openBinaryTempFileWithDefaultPermissions (takeDirectory file) (takeFileName file)) discard $ \(temporary, handle) -> do
    sections handle Nothing (pieces events)
    hClose handle
    renameFile temporary file
 where
  discard (temporary, handle) = hClose handle >> removeFile temporary
  put = Builder.hPutBuilder
  sections handle before [] = mapM_ (const (put handle end)) before
  sections handle before (piece : rest) = do
    section <- foldM (one handle) before (groupBy sameSection piece)
    sections handle section rest
  one handle before part = do
    let section = eventSection (head part)
    if maybe False (`isSame` section) before
      then put handle (encoded part)
      else put handle (foldMap (const end) before <> Builder.byteString (headerBytes (sectionHeader section)) <> encoded part)
    pure (Just section)
  end = Builder.word16BE 0xffff
  sameSection a b = eventSection a `isSame` eventSection b

-- | Events of logs that are put together may have equal numbers.
isSame :: Section -> Section -> Bool
isSame (Section a h@(Header p _)) (Section b k@(Header q _)) = a == b && (p == q || headerBytes h == headerBytes k)
