{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Logs of programs that are running, read while they are written.
--
-- > main = forSource live "unix:/tmp/main.sock" $ \item -> case item of
-- >   Happened event -> print event
-- >   Damaged position message -> print (position, message)
-- >   Began _ -> pure ()
-- >   Ended complete -> putStrLn (if complete then "the program has ended" else "its log was cut off")
--
-- The command @hectic@ opens the sources, as a child process (@hectic cut --as-is SOURCE -@), and
-- libhectic decodes what it delivers. All functions wait as Haskell threads do, also without
-- @-threaded@: @timeout@ and @killThread@ interrupt them, and other threads run. After an exception
-- or the end, the source is closed and the child process has ended.
module Hectic.Live
  ( -- * Reading a source
    foldSource
  , forSource
  , Item (..)
    -- * Options
  , Live (..)
  , live
  , Order (..)
    -- * Gaps
  , Gap (..)
  , eventGap
  ) where

import Control.Concurrent (threadDelay, threadWaitRead)
import Control.Exception (IOException, bracket, throwIO, try, uninterruptibleMask_)
import Control.Monad (void, when)
import Data.Char (isDigit)
import Data.IORef
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import qualified Data.Text as Text
import Data.Word (Word64, Word8)
import Foreign.C.Error (eAGAIN, eINTR, getErrno, throwErrno)
import Foreign.C.Types (CSize)
import Foreign.ForeignPtr (ForeignPtr, mallocForeignPtrBytes, withForeignPtr)
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (Ptr, nullPtr)
import Foreign.Storable (peek, pokeByteOff)
import GHC.Clock (getMonotonicTimeNSec)
import System.Exit (ExitCode (..))
import System.Posix.IO (FdOption (..), closeFd, handleToFd, setFdOption)
import System.Posix.Internals (c_read)
import System.Posix.Types (Fd)
import System.Process (CreateProcess (..), ProcessHandle, StdStream (..), createProcess, getProcessExitCode, proc, terminateProcess)
import System.Timeout (timeout)

import Hectic.Event
import Hectic.Internal.Event
import Hectic.Internal.Foreign
import Hectic.Internal.Log
import qualified Hectic.Payload as P

-- | How a source is read.
data Live = Live
  { liveOrder :: !Order
  , liveSelection :: Selection
  , liveReconnects :: !Bool
  -- ^ after a log has ended, waits for another one: of a program that is started again, or of the
  -- next writer of a FIFO. (@run:COMMAND@ starts the program again.) The fold ends by an exception
  -- only, such as that of @timeout@.
  , liveWait :: !(Maybe Nanoseconds)
  -- ^ how long it waits for a log to begin; without limit otherwise
  , liveCommand :: FilePath
  -- ^ the command that opens sources, found as the shell finds it
  }
  deriving (Eq, Show)

data Order
  = -- | the order of time: an event is delivered when no earlier one is expected, at most that long
    -- after it has arrived (see hectic/stream.h; 0: one second). One that arrives later than that is
    -- delivered at once.
    OrderOfTime !Nanoseconds
  | -- | the order in which they arrive, at once; those of different caps are not in order
    OrderOfArrival
  deriving (Eq, Show)

-- | All events of one log in order of time.
live :: Live
live = Live (OrderOfTime 0) everything False Nothing "hectic"

-- | What a source delivers, in this order for each log: @Began@, any of @Happened@, @Damaged@ and
-- further @Began@, and @Ended@.
data Item
  = -- | A section begins: that of the first log, of the next one, or of a program that has executed
    -- another one.
    Began Section
  | Happened Event
  | -- | Bytes that cannot be decoded, at that position of the log; they are skipped
    Damaged !Word64 Text
  | -- | The log has ended: with an end marker, or without, as that of a killed program
    Ended !Bool
  deriving (Eq, Show)

-- | Calls a function for each item of a source, which is what the verbs of the command take:
-- @unix:PATH@, @tcp:HOST:PORT@, @fifo:PATH@, @run:COMMAND@, @fd:N@, @-@ or a file. Throws a 'LogError'
-- if the source cannot be opened (the command says why on stderr), or is no log.
forSource :: Live -> String -> (Item -> IO ()) -> IO ()
forSource options text act = foldSource options text (const act) ()

-- | Folds over the items of a source, strictly.
foldSource :: Live -> String -> (a -> Item -> IO a) -> a -> IO a
foldSource options text step = go 1
 where
  go !number !a = do
    (a', next) <- foldOne options text step number a
    if liveReconnects options then go next a' else pure a'

-- | Folds over the items of one log. Returns the number of the next section.
foldOne :: Live -> String -> (a -> Item -> IO a) -> Int -> a -> IO (a, Int)
foldOne options text step first zero =
  withFilter (liveSelection options) $ \f -> withDelivery options $ \child descriptor ->
    withReader (liveOrder options) descriptor $ \reader -> do
      result <- foldItems text reader f step first zero
      code <- waitFor child
      case (result, code) of
        (Just done, ExitSuccess) -> pure done
        (_, ExitSuccess) -> unusable "the input is empty"
        (_, ExitFailure n) -> unusable ("the source cannot be read: exit code " <> Text.pack (show n))
 where
  unusable = throwIO . LogError text 0
  withDelivery o use = bracket (openSource o text) (uncurry closeSource) (uncurry use)

-- | The command, and a descriptor to read what it writes. The pipe is made by createProcess: other
-- processes that are started at the same time do not get it, or the end of the source would not be seen
-- before theirs.
openSource :: Live -> String -> IO (ProcessHandle, Fd)
openSource options text =
  try (createProcess (proc command arguments){std_out = CreatePipe}) >>= \started -> case started of
    Right (_, Just handle, _, child) -> do
      out <- handleToFd handle
      (child, out) <$ setFdOption out NonBlockingRead True
    Right _ -> unusable "it has no output"
    Left problem -> unusable (Text.pack (show (problem :: IOException)) <> "; is hectic installed, and in the PATH?")
 where
  command = liveCommand options
  unusable = throwIO . LogError text 0 . ("the command that opens it cannot be run: " <>)
  arguments = ["cut", "--as-is", "--quiet"] ++ concat [["--wait", show ns ++ "ns"] | Just ns <- [liveWait options]] ++ [text, "-"]

-- | The command ends what it has started when its output is closed, or by SIGTERM.
closeSource :: ProcessHandle -> Fd -> IO ()
closeSource child out = uninterruptibleMask_ $ do
  closeFd out
  terminateProcess child
  void (waitFor child)

-- | Without @-threaded@, waitForProcess would stop all threads.
waitFor :: ProcessHandle -> IO ExitCode
waitFor child = getProcessExitCode child >>= maybe (threadDelay 5000 >> waitFor child) pure

-- | The items until the log's end; 'Nothing': it has no byte.
foldItems
  :: FilePath -> Reader -> Ptr CFilter -> (a -> Item -> IO a) -> Int -> a -> IO (Maybe (a, Int))
foldItems text reader f step first = go Nothing False
 where
  go section complete !a = do
    (batch, size, result) <- readBatch (nextItems reader f)
    a' <- case section of
      Just s | size > 0 -> foldBatch (\x event -> step x (Happened event)) s batch size a
      _ -> pure a
    let complete' = complete && size == 0
    following section complete' a' result
  following section complete a result
    | result == resultEvent = go section complete a
    | result == resultComplete = go section True a
    | result == resultHeader = do
        header <- readerHeader reader >>= copyHeader
        let s = Section (maybe first ((+ 1) . sectionNumber) section) header
        step a (Began s) >>= go (Just s) False
    | result == resultError = do
        failure <- readerError reader
        case section of
          Nothing -> throwError text failure
          Just _ -> do
            (position, message) <- readError failure
            readerSkip reader
            step a (Damaged position message) >>= go section False
    | otherwise = case section of
        Just s -> do
          a' <- step a (Ended complete)
          pure (Just (a', sectionNumber s + 1))
        Nothing -> pure Nothing

-- | What decodes bytes, in one of the orders.
data Reader = Reader
  { nextItems :: Ptr CFilter -> NextBatch
  -- ^ with HECTIC_PARTIAL only at the end of the source
  , readerHeader :: IO (Ptr CHeader)
  , readerError :: IO (Ptr CError)
  , readerSkip :: IO ()
  }

withReader :: Order -> Fd -> (Reader -> IO a) -> IO a
withReader OrderOfArrival descriptor use = withDecoder $ \decoder -> do
  buffer <- mallocForeignPtrBytes pieceSize
  let next f batch capacity size = do
        result <- c_decoder_batch decoder f batch capacity size
        used <- peek size
        case () of
          _ | result /= resultPartial -> pure result
            | used > 0 -> pure resultEvent
            | otherwise -> do
                more <- waitForPiece descriptor buffer
                if more == 0 then pure resultPartial else do
                  withForeignPtr buffer $ \bytes -> c_decoder_push decoder bytes (fromIntegral more)
                  next f batch capacity size
  use (Reader next (c_decoder_header decoder) (c_decoder_error decoder) (c_decoder_resync decoder))
withReader (OrderOfTime lag) descriptor use =
  bracket newStream c_stream_free $ \stream -> do
    when (stream == nullPtr) $ throwIO (LogError "" 0 "out of memory")
    buffer <- mallocForeignPtrBytes pieceSize
    arrived <- getMonotonicTimeNSec >>= newIORef
    ended <- newIORef False
    use (Reader (nextOfStream stream descriptor buffer arrived ended) (c_stream_header stream) (c_stream_error stream) (pure ()))
 where
  newStream = allocaBytes sizeOfStreamOptions $ \options -> do
    fillBytes options 0 sizeOfStreamOptions
    pokeByteOff options 0 lag
    c_stream_new options

-- | The time is that of the last reading of the clock, before the last piece was read: what this
-- program takes for the events does not use up the lag.
nextOfStream :: Ptr CStream -> Fd -> ForeignPtr Word8 -> IORef Word64 -> IORef Bool -> Ptr CFilter -> NextBatch
nextOfStream stream descriptor buffer arrived ended f batch capacity size = go
 where
  go = do
    now <- readIORef arrived
    result <- c_stream_batch stream now f batch capacity size
    used <- peek size
    atEnd <- readIORef ended
    case () of
      _ | result /= resultPartial -> pure result
        | used > 0 -> pure resultEvent
        | atEnd -> pure resultPartial
        | otherwise -> readPiece descriptor buffer >>= maybe wait (\length' -> push length' >> go)
  push 0 = writeIORef ended True >> c_stream_end stream
  push length' = do
    now <- readIORef arrived
    withForeignPtr buffer $ \bytes -> c_stream_push stream bytes (fromIntegral length') now
  -- All input was read: until there is more, or the next event is due.
  wait = do
    due <- c_stream_due stream
    now <- getMonotonicTimeNSec
    when (due > now) $ void (timeout (microseconds (due - now)) (threadWaitRead descriptor))
    getMonotonicTimeNSec >>= writeIORef arrived
    go
  microseconds ns = fromIntegral (min 1000000000 (ns `div` 1000 + 1))

-- | The bytes that have arrived, at most a piece; 0: the end; 'Nothing': none have arrived.
readPiece :: Fd -> ForeignPtr Word8 -> IO (Maybe Int)
readPiece descriptor buffer = do
  length' <- withForeignPtr buffer $ \bytes -> c_read (fromIntegral descriptor) bytes (fromIntegral pieceSize :: CSize)
  if length' >= 0 then pure (Just (fromIntegral length')) else do
    errno <- getErrno
    if errno == eAGAIN || errno == eINTR then pure Nothing else throwErrno "a source"

waitForPiece :: Fd -> ForeignPtr Word8 -> IO Int
waitForPiece descriptor buffer =
  readPiece descriptor buffer >>= maybe (threadWaitRead descriptor >> waitForPiece descriptor buffer) pure

-- | Where a log says that events are missing.
data Gap
  = -- | that many were dropped here
    EventsDropped !Word64
  | -- | logging, or that of the classes in the message, was switched off (@False@) or on
    LoggingSwitched !Bool Text
  deriving (Eq, Show)

-- | Is it a message of hectic about missing events? (hectic/gaps.h)
eventGap :: Event -> Maybe Gap
eventGap event = case payload event of
  P.LogMsg text | Just rest <- Text.stripPrefix "hectic: " text -> gap text rest
  _ -> Nothing
 where
  gap text rest = case Text.span isDigit rest of
    (digits, " events were dropped here") | not (Text.null digits) -> Just (EventsDropped (number digits))
    _ | not ("logging" `Text.isPrefixOf` rest) -> Nothing
    _ | " is off from here" `Text.isInfixOf` rest -> Just (LoggingSwitched False text)
    _ | " is on from here" `Text.isInfixOf` rest -> Just (LoggingSwitched True text)
    _ -> Nothing
  number = fromInteger . min (fromIntegral (maxBound :: Word64)) . fromMaybe 0 . readInteger . Text.unpack
  readInteger digits = case reads digits of { [(n, "")] -> Just (n :: Integer); _ -> Nothing }
