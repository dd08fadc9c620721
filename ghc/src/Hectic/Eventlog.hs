-- | This program's eventlog, live, for readers that connect and leave at any time.
--
-- > main = withEventlog $ do …
--
-- Link with @-threaded -eventlog -with-rtsopts=-l@, and say in the environment where the log is
-- served: @GHC_EVENTLOG_UNIX_PATH@, or @GHC_EVENTLOG_INET_HOST@ and @GHC_EVENTLOG_INET_PORT@, or
-- @HECTIC_EVENTLOG@. Where the environment says nothing, 'withEventlog' does nothing. All variables
-- are listed in @hectic_eventlog.h@.
--
-- All functions may be called by any thread, at any time. Each failure is an 'IOError' whose text
-- says what to do.
--
-- Several need a moment at which no Haskell code runs, and take the end of a minor garbage
-- collection for that, which they ask for. Where GHC's runtime is linked dynamically they need a
-- @main@ in C (see @hectic_eventlog.h@); linked statically, as is usual, they need nothing.
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
    -- * Commands from readers
  , registerCommand
  ) where

import Control.Exception (SomeException, finally, try)
import Control.Monad (unless)
import Data.Word (Word32, Word8)
import Foreign.C.String (CString, peekCString, withCString)
import Foreign.C.Types (CBool (..))
import Foreign.Marshal.Alloc (alloca, free)
import Foreign.Marshal.Utils (fromBool)
import Foreign.Ptr (FunPtr, Ptr, nullPtr)
import Foreign.Storable (peek)
import System.Environment (getProgName)
import System.IO (hPutStrLn, stderr)
import System.IO.Error (ioeGetErrorString, tryIOError)

-- | Runs a program with its eventlog served where the environment says. If that fails, the program
-- runs nevertheless, after a message on stderr.
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

-- | Serves the eventlog where the environment says. 'False': it says nothing, or a @main@ in C
-- serves it already.
start :: IO Bool
start = startWith nullPtr

-- | Serves it at a place: @listen:unix:PATH@, @listen:tcp:HOST:PORT@; or writes it to one:
-- @unix:PATH@, @tcp:HOST:PORT@ (with @,token-file=FILE@ behind it, the token in that file is sent
-- first), @fifo:PATH@, @file:PATH@, @fd:N@.
startAt :: String -> IO ()
startAt place = withCString place $ \text -> () <$ startWith text

startWith :: CString -> IO Bool
startWith place = alloca $ \started -> do
  hectic_start place started >>= check
  (/= 0) <$> peek started

-- | Ends the log. Readers get what is left of it. After 'start' or 'startAt' it goes on; events of
-- the time between are in neither log.
stop :: IO ()
stop = hectic_stop

-- | Waits until there is a reader, for so many milliseconds at most; 0: for ever.
waitForReader :: Word32 -> IO ()
waitForReader ms = hectic_wait ms >>= check

-- | Event logging as a whole, off and on again. Readers stay connected. While it is off they get no
-- events, but for those about OS threads and capabilities, which are rare; and the runtime makes
-- none, as far as it can be told so (see 'setClass').
--
-- When it is on again, readers get a message that says since when it was off, and the events that
-- bring their knowledge of threads up to date: those that were created meanwhile, have finished,
-- or wait for something else. What happened in between is not known to the runtime any more.
setLogging :: Bool -> IO ()
setLogging on = hectic_set_logging (fromBool on) >>= check

-- | Classes of events, as @+RTS -l@ has them; in the runtime's own order.
data Class = Scheduler | GC | NonmovingGC | SparksSampled | SparksFull | User | Cap | InfoTables
  deriving (Eq, Show, Enum, Bounded)

-- | Switches a class of events, also on when the program was started without it. Readers get
-- messages that say from when to when it was off. When 'Scheduler' or 'Cap' is on again, they get
-- the events about threads or capabilities that 'setLogging' describes; labels only if the runtime
-- still knows them (since GHC 9.2, or with @-debug@), and nothing about OS threads.
--
-- Up to GHC 9.14 this takes a program whose runtime is linked statically, and 'InfoTables' cannot
-- be switched. Later GHCs offer a function for it.
setClass :: Class -> Bool -> IO ()
setClass class_ on = command "hectic" (fromIntegral (fromEnum class_) + if on then 16 else 32)

-- | Ends the log where it is served, and goes on in another place. What was logged before goes to
-- the first one (as far as the runtime can be flushed, see 'flush'), each event to one of them.
setDestination :: String -> IO ()
setDestination place = withCString place hectic_move >>= check

-- | Brings out what is in the capabilities' buffers.
flush :: IO ()
flush = hectic_flush >>= check

-- | Does that every so many milliseconds; 0: only when a buffer is full. 1000 at first.
setFlushInterval :: Word32 -> IO ()
setFlushInterval ms = hectic_flush_every ms >>= check

-- | Replays the live state (the process, capabilities, OS threads, threads, definitions, counters)
-- to all readers, as @SYNC@ events. A reader that connects gets it by itself; this is for logs that
-- are cut into pieces, such as a file that is rotated.
replayState :: IO ()
replayState = hectic_replay >>= check

-- | Does that every so many milliseconds; 0: never, as at first.
setReplayInterval :: Word32 -> IO ()
setReplayInterval ms = hectic_replay_every ms >>= check

-- | Takes heap censuses by the timer. These need @+RTS -hT@, or another kind.
startHeapProfile, stopHeapProfile :: IO ()
startHeapProfile = command core 3
stopHeapProfile = command core 4

-- | Takes one census, at the next context switch.
requestHeapCensus :: IO ()
requestHeapCensus = command core 5

-- | Attributes ticks to cost centres, in programs that were compiled with @-prof@.
startProfile, stopProfile :: IO ()
startProfile = command core 1
stopProfile = command core 2

core :: String
core = "eventlog-socket"

command :: String -> Word8 -> IO ()
command name number = withCString name $ \text -> hectic_command text number >>= check

-- | Lets readers run an action, by @hectic ctl SOURCE custom NAMESPACE ID@. It runs in a thread of
-- its own, which needs @-threaded@. An exception is printed on stderr.
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
