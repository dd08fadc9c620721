-- | Encoding with binary's types. The parsers of ghc-events' module of this name are not here: they
-- are what hectic does.
module GHC.RTS.Events.Binary
  ( -- * Readers
    getHeader
    -- * Writers
  , putEventLog
  , putHeader
  , putEvent
    -- * Perf events
  , nEVENT_PERF_NAME
  , nEVENT_PERF_COUNTER
  , nEVENT_PERF_TRACEPOINT
  ) where

import Control.Monad (unless, when)
import Data.Binary.Get (Get, getByteString, getWord16be, getWord32be, skip)
import Data.Binary.Put (Put, putByteString, putWord16be, putWord32be, putWord64be)
import qualified Data.ByteString as B
import qualified Data.Text.Encoding as TE
import Data.Text.Encoding.Error (lenientDecode)
import Data.Word (Word32)
import Hectic.Payload (encode, isVariable)

import GHC.RTS.EventTypes hiding (EventInfo (..))
import GHC.RTS.Payloads (payloadOf)

nEVENT_PERF_NAME, nEVENT_PERF_COUNTER, nEVENT_PERF_TRACEPOINT :: EventTypeNum
nEVENT_PERF_NAME = 140
nEVENT_PERF_COUNTER = 141
nEVENT_PERF_TRACEPOINT = 142

-- | The parts of a header begin and end with these.
headerBegin, headerEnd, typesBegin, typesEnd, typeBegin, typeEnd, dataBegin :: Word32
headerBegin = 0x68647262
headerEnd = 0x68647265
typesBegin = 0x68657462
typesEnd = 0x68657465
typeBegin = 0x65746200
typeEnd = 0x65746500
dataBegin = 0x64617462

getHeader :: Get Header
getHeader = expect headerBegin *> expect typesBegin *> (Header <$> types) <* expect headerEnd <* expect dataBegin
 where
  expect marker = do
    found <- getWord32be
    unless (found == marker) (fail ("a marker is missing in the header: " ++ show marker))
  types = do
    marker <- getWord32be
    if marker == typesEnd
      then pure []
      else do
        unless (marker == typeBegin) (fail "Malformed list of Event Types in header")
        (:) <$> oneType <*> types
  oneType = do
    number <- getWord16be
    declared <- getWord16be
    description <- getWord32be >>= getByteString . fromIntegral
    getWord32be >>= skip . fromIntegral
    expect typeEnd
    let decoded = TE.decodeUtf8With lenientDecode description
    pure (EventType number decoded (if declared == 0xffff then Nothing else Just declared))

putHeader :: Header -> Put
putHeader (Header types) = do
  putWord32be headerBegin
  putWord32be typesBegin
  mapM_ putType types
  putWord32be typesEnd
  putWord32be headerEnd
 where
  putType (EventType number description declared) = do
    let text = TE.encodeUtf8 description
    putWord32be typeBegin
    putWord16be number
    putWord16be (maybe 0xffff id declared)
    putWord32be (fromIntegral (B.length text))
    putByteString text
    putWord32be 0
    putWord32be typeEnd

-- | A log with its events as they are: they have block markers, or belong to no cap.
putEventLog :: EventLog -> Put
putEventLog (EventLog found (Data events')) = do
  putHeader found
  putWord32be dataBegin
  mapM_ putEvent events'
  putWord16be 0xffff

-- | An event, in the newest encoding of its type. Unknown events cannot be encoded.
putEvent :: Event -> Put
putEvent (Event at what _) = case payloadOf what of
  Just known | Just (number, bytes) <- encode known -> do
    putWord16be number
    putWord64be at
    when (isVariable known) (putWord16be (fromIntegral (B.length bytes)))
    putByteString bytes
  _ -> error "putEvent: an unknown event, or a value that does not fit"
