{-# LANGUAGE CPP #-}

-- | Logs from bytes: piece by piece, or lazily.
module GHC.RTS.Events.Incremental
  ( -- * Incremental API
    Decoder (..)
  , decodeHeader
  , decodeEvents
  , decodeEventLog
    -- * Lazy API
  , readHeader
  , readEvents
  , readEvents'
  , readEventLog
  , readEventLogOrFail
  ) where

import Data.Array (Array, listArray, (!))
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as BL
import Data.Either (isLeft, lefts, rights)
import Data.Maybe (listToMaybe)
import qualified Hectic.Event as H
import qualified Hectic.Incremental as H
#ifdef API_0_21_0
import qualified Hectic.Payload as P
#endif

import GHC.RTS.EventTypes hiding (EventInfo (..))
import GHC.RTS.EventTypes (EventInfo)
import GHC.RTS.Payloads (infoOf)

-- | How decoding goes on.
data Decoder a
  = -- | it needs more input
    Consume (B.ByteString -> Decoder a)
  | -- | a value, and what follows
    Produce !a (Decoder a)
  | -- | it has ended, with the rest of the input
    Done B.ByteString
  | -- | it has failed, with the rest of the input, and why
    Error B.ByteString String

-- | Decodes a header, and goes on with the rest of the input.
withHeader :: (Header -> B.ByteString -> Decoder a) -> Decoder a
withHeader next = Consume (go B.empty)
 where
  go before chunk =
    let input = before <> chunk
     in case H.readHeader input of
          H.One (found, rest) -> next (headerOf found) rest
          H.EventLogParsingError message -> Error input message
          _ -> Consume (go input)

headerOf :: H.Header -> Header
headerOf found =
  Header [EventType (H.typeNumber t) (H.typeDescription t) (H.typeSize t) | t <- H.headerTypes found]

-- | The same types for hectic. Those that a header of hectic cannot have are left out.
sectionOf :: Header -> H.Section
sectionOf (Header types) = H.Section 1 (maybe (sectionOfNone types) id (H.newHeader (map typeOf types)))
 where
  typeOf (EventType number description declared) = H.EventType number declared description
  sectionOfNone _ = maybe (error "a header without types") id (H.newHeader [])

-- | Decodes a header.
decodeHeader :: Decoder Header
decodeHeader = withHeader (\found rest -> Produce found (Done rest))

-- | Decodes events; an end marker does not end them.
decodeEvents :: Header -> Decoder Event
decodeEvents found = decodeFrom found B.empty

decodeFrom :: Header -> B.ByteString -> Decoder Event
decodeFrom found = go (H.parserAt section)
 where
  section = sectionOf found
  toEvent = eventOf (isShifted found)
  go state input =
    let (some, end, state') = H.readAvailable state input
     in produce end state' some
  produce end state (event : rest)
    | H.sectionNumber (H.eventSection event) /= 1 = anotherHeader
#ifdef API_0_21_0
    | P.BlockMarker{} <- H.payload event = produce end state rest
#endif
    | otherwise = Produce (toEvent event) (produce end state rest)
  produce end state [] = case end of
    H.EventLogParsingError message -> Error B.empty message
    H.CompleteEventLog -> go state B.empty -- what follows is decoded, too
    _ | fmap H.sectionNumber (H.parserSection state) == Just 1 -> Consume (go state)
    _ -> anotherHeader
  anotherHeader = Error B.empty "Unrecognized event type: 26724"

-- | As hectic_header_shifted_stop_status: USER_MARKER is declared, but not HACK_BUG_T9003.
isShifted :: Header -> Bool
isShifted (Header types) = declares 58 && not (declares 59)
 where
  declares number = any ((== number) . num) types

-- | It is decoded at once: what it would need until then is larger.
eventOf :: Bool -> H.Event -> Event
eventOf shifted event = info `seq` number `seq` Event (H.eventTime event) info number
 where
  info = infoOf shifted (H.payload event) :: EventInfo
  number = capOf event

-- | The values of small numbers are shared.
capOf :: H.Event -> Maybe Int
capOf event = case H.eventCap event of
  Nothing -> Nothing
  Just number
    | number < 256 -> small ! fromIntegral number
    | otherwise -> Just (fromIntegral number)

small :: Array Int (Maybe Int)
small = listArray (0, 255) (map Just [0 .. 255])

-- | Decodes a header and events.
decodeEventLog :: Decoder Event
decodeEventLog = withHeader decodeFrom

-- | The header at the beginning of the input, and the rest.
readHeader :: BL.ByteString -> Either String (Header, BL.ByteString)
readHeader = go decodeHeader . BL.toChunks
 where
  go (Produce found (Done rest)) chunks = Right (found, BL.fromChunks (rest : chunks))
  go (Consume next) (chunk : chunks) = go (next chunk) chunks
  go (Consume _) [] = Left "readHeader: not enough bytes"
  go (Error _ message) _ = Left message
  go _ _ = Left "readHeader: unexpected end"

-- | All events up to the first error, and that. The end of the input is none, wherever it is.
readEvents :: Header -> BL.ByteString -> ([Event], Maybe String)
readEvents found input = (rights good, listToMaybe (lefts bad))
 where
  (good, bad) = break isLeft (readEvents' found input)

-- | The same as a list that an error ends.
readEvents' :: Header -> BL.ByteString -> [Either String Event]
readEvents' found = go (decodeEvents found) . BL.toChunks
 where
  go (Produce event next) chunks = Right event : go next chunks
  go (Consume next) (chunk : chunks) = go (next chunk) chunks
  go (Error _ message) _ = [Left message]
  go _ _ = []

-- | A whole log, as far as it can be decoded, and the first error.
readEventLog :: BL.ByteString -> Either String (EventLog, Maybe String)
readEventLog input = do
  (found, rest) <- readHeader input
  let (events', failure) = readEvents found rest
  pure (EventLog found (Data events'), failure)

-- | A whole log, in which the first error is an exception.
readEventLogOrFail :: BL.ByteString -> Either String EventLog
readEventLogOrFail input = do
  (found, rest) <- readHeader input
  pure (EventLog found (Data (zipWith orFail [1 :: Int ..] (readEvents' found rest))))
 where
  orFail i = either (\why -> error ("readEventLogOrFail: error deserialising event " ++ show i ++ ": " ++ why)) id
