-- | Serves this program's eventlog to readers, which can attach and detach at any time.
--
-- > main = withEventlog $ do …
--
-- Link with @-threaded -eventlog -with-rtsopts=-l@, and set the destination in the environment:
-- @GHC_EVENTLOG_UNIX_PATH@, or @GHC_EVENTLOG_INET_HOST@ and @GHC_EVENTLOG_INET_PORT@, or
-- @HECTIC_EVENTLOG@. Without one of them, 'withEventlog' does nothing. @hectic_eventlog.h@ lists
-- all variables.
--
-- All functions can be called by any thread, at any time. They throw an 'IOError' with a text that
-- contains the remedy.
--
-- Some functions run at the end of a garbage collection, when no Haskell code runs, and trigger a
-- minor one. If GHC's runtime is linked dynamically, they require a @main@ in C (see
-- @hectic_eventlog.h@); the usual static linking requires nothing.
module Hectic.Eventlog
  ( -- * Start and stop
    withEventlog
  , start
  , startAt
  , stop
  , waitForReader
    -- * Logging on and off
  , setLogging
  , Class (..)
  , setClass
    -- * Readers
  , setDestination
  , flush
  , setFlushInterval
  , replayState
  , setReplayInterval
    -- * Profiles
  , startHeapProfile
  , stopHeapProfile
  , requestHeapCensus
  , startProfile
  , stopProfile
    -- * Distributed traces
  , traceParent
  , traceParentMessage
    -- * Commands from readers
  , registerCommand
  ) where

import Control.Exception (SomeException, finally, try)
import Control.Monad (unless)
import Data.Char (isDigit)
import Data.Word (Word32, Word8)
import Debug.Trace (traceEventIO)
import Foreign.C.String (CString, peekCString, withCString)
import Foreign.C.Types (CBool (..))
import Foreign.Marshal.Alloc (alloca, free)
import Foreign.Marshal.Utils (fromBool)
import Foreign.Ptr (FunPtr, Ptr, nullPtr)
import Foreign.Storable (peek)
import System.Environment (getProgName)
import System.IO (hPutStrLn, stderr)
import System.IO.Error (ioeGetErrorString, tryIOError)

-- | Runs a program and serves its eventlog at the destination of the environment. If that fails,
-- prints a message to stderr and runs the program nevertheless.
withEventlog :: IO a -> IO a
withEventlog program = do
  started <- tryIOError start
  case started of
    Right False -> program
    Right True -> program `finally` stop
    Left problem -> do
      name <- getProgName
      hPutStrLn stderr (name ++ ": no eventlog: " ++ ioeGetErrorString problem)
      program

-- | Serves the eventlog at the destination of the environment. 'False': there is none, or a @main@
-- in C serves it already.
start :: IO Bool
start = startWith nullPtr

-- | Serves the eventlog at @listen:unix:PATH@ or @listen:tcp:HOST:PORT@, or writes it to
-- @unix:PATH@, @tcp:HOST:PORT@ (with @,token-file=FILE@, the token in that file is sent first),
-- @fifo:PATH@, @file:PATH@ or @fd:N@.
startAt :: String -> IO ()
startAt place = withCString place $ \text -> () <$ startWith text

startWith :: CString -> IO Bool
startWith place = alloca $ \started -> do
  hectic_start place started >>= check
  (/= 0) <$> peek started

-- | Ends the log, after sending the rest to readers. It continues after 'start' or 'startAt';
-- events in between are in neither log.
stop :: IO ()
stop = hectic_stop

-- | Waits until a reader has connected, at most that many milliseconds; 0: without limit.
waitForReader :: Word32 -> IO ()
waitForReader ms = hectic_wait ms >>= check

-- | Switches event logging off and on. Readers stay connected. While it is off, they only get
-- events about OS threads and capabilities, which are rare, and the runtime emits no others, as far
-- as classes can be switched (see 'setClass').
--
-- When it is on again, readers get a message with the time since when it was off, and events that
-- update the state of threads: created, finished, or blocked on something else. The runtime does
-- not record what happened in between.
setLogging :: Bool -> IO ()
setLogging on = hectic_set_logging (fromBool on) >>= check

-- | Classes of events as in @+RTS -l@, in the runtime's order.
data Class = Scheduler | GC | NonmovingGC | SparksSampled | SparksFull | User | Cap | InfoTables
  deriving (Eq, Show, Enum, Bounded)

-- | Switches a class of events off or on, even if the program was started without it. Readers get
-- messages about when it was off. When 'Scheduler' or 'Cap' is on again, they get the events about
-- threads or capabilities that 'setLogging' describes; labels only if the runtime still has them
-- (since GHC 9.2, or with @-debug@), and nothing about OS threads.
--
-- Up to GHC 9.14 this requires a statically linked runtime, and 'InfoTables' cannot be switched.
-- Later versions of GHC have a function for it.
setClass :: Class -> Bool -> IO ()
setClass class_ on = command "hectic" (fromIntegral (fromEnum class_) + if on then 16 else 32)

-- | Ends the log at the current destination and continues at another one. Earlier events go to the
-- first one (as far as the runtime can be flushed, see 'flush'); no event goes to both.
setDestination :: String -> IO ()
setDestination place = withCString place hectic_move >>= check

-- | Flushes the capabilities' buffers. Afterwards the events are in the memory of the server, in this
-- process, which sends them to its clients.
flush :: IO ()
flush = hectic_flush >>= check

-- | Sets the flush interval in milliseconds; 0: only full buffers. Default 1000.
setFlushInterval :: Word32 -> IO ()
setFlushInterval ms = hectic_flush_every ms >>= check

-- | Replays the live state (the process, capabilities, OS threads, threads, definitions, counters)
-- to all readers, as @SYNC@ events. New readers get it anyway; this is for logs that are split,
-- such as rotated files.
replayState :: IO ()
replayState = hectic_replay >>= check

-- | Sets the interval of replays in milliseconds; 0: never, the default.
setReplayInterval :: Word32 -> IO ()
setReplayInterval ms = hectic_replay_every ms >>= check

-- | Takes heap censuses periodically. Requires @+RTS -hT@ or another kind of heap profile.
startHeapProfile, stopHeapProfile :: IO ()
startHeapProfile = command core 3
stopHeapProfile = command core 4

-- | Takes one census, at the next context switch.
requestHeapCensus :: IO ()
requestHeapCensus = command core 5

-- | Attributes ticks to cost centres, in programs compiled with @-prof@.
startProfile, stopProfile :: IO ()
startProfile = command core 1
stopProfile = command core 2

core :: String
core = "eventlog-socket"

command :: String -> Word8 -> IO ()
command name number = withCString name $ \text -> hectic_command text number >>= check

-- | Says that the innermost open span of this thread belongs to the trace of a request, whose header
-- @traceparent@ (W3C Trace Context) is given: in @hectic export --format otlp@, the span has that
-- trace and parent.
--
-- > traceEventIO "START request"
-- > _ <- traceParent header
-- > respond `finally` traceEventIO "STOP request"
--
-- 'False': the header is not valid, and nothing is logged; the span then begins a trace. It needs no
-- 'withEventlog': it is a message, as those of 'traceEventIO'.
traceParent :: String -> IO Bool
traceParent header = maybe (pure False) ((True <$) . traceEventIO) (traceParentMessage header)

-- | The message, @traceparent 00-TRACE-SPAN-FLAGS@. 'Nothing': the header is not valid. Of a later
-- version than 00, the part that all versions have is used.
traceParentMessage :: String -> Maybe String
traceParentMessage header
  | isValid = Just ("traceparent 00" ++ take 53 (drop 2 header))
  | otherwise = Nothing
 where
  (version, rest) = splitAt 2 header
  (trace, rest') = field 32 rest
  (parent, rest'') = field 16 rest'
  (flags, later) = field 2 rest''
  isValid =
    all (all isHex) [version, trace, parent, flags]
      && map length [version, trace, parent, flags] == [2, 32, 16, 2]
      && any (/= '0') trace && any (/= '0') parent
      && (if version == "00" then null later else version /= "ff" && take 1 later `elem` ["", "-"])
  field size ('-' : text) = splitAt size text
  field _ _ = ("", "")
  isHex c = isDigit c || (c >= 'a' && c <= 'f')

-- | Registers an action that readers run by @hectic ctl SOURCE custom NAMESPACE ID@. It runs in its
-- own thread, which requires @-threaded@. Exceptions are printed to stderr.
registerCommand :: String -> Word8 -> IO () -> IO ()
registerCommand name number action = do
  handler <- wrap (\_ -> nullPtr <$ (try action >>= either report return))
  withCString name $ \text -> hectic_register text number handler nullPtr >>= check
 where
  report :: SomeException -> IO ()
  report problem = hPutStrLn stderr (name ++ " " ++ show number ++ ": " ++ show problem)

check :: CString -> IO ()
check text = unless (text == nullPtr) $ do
  problem <- peekCString text
  free text
  ioError (userError problem)

type Handler = Ptr () -> IO CString

foreign import ccall "wrapper" wrap :: Handler -> IO (FunPtr Handler)
foreign import ccall safe "hectic_eventlog_start"
  hectic_start :: CString -> Ptr CBool -> IO CString
foreign import ccall safe "hectic_eventlog_stop" hectic_stop :: IO ()
foreign import ccall safe "hectic_eventlog_set_logging" hectic_set_logging :: CBool -> IO CString
foreign import ccall safe "hectic_eventlog_move" hectic_move :: CString -> IO CString
foreign import ccall safe "hectic_eventlog_flush" hectic_flush :: IO CString
foreign import ccall safe "hectic_eventlog_flush_every" hectic_flush_every :: Word32 -> IO CString
foreign import ccall safe "hectic_eventlog_replay" hectic_replay :: IO CString
foreign import ccall safe "hectic_eventlog_replay_every" hectic_replay_every :: Word32 -> IO CString
foreign import ccall safe "hectic_eventlog_wait" hectic_wait :: Word32 -> IO CString
foreign import ccall safe "hectic_eventlog_command"
  hectic_command :: CString -> Word8 -> IO CString
foreign import ccall safe "hectic_eventlog_register"
  hectic_register :: CString -> Word8 -> FunPtr Handler -> Ptr () -> IO CString
