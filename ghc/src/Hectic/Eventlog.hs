-- | This program's eventlog, live, for readers that come and go.
--
-- > main = withEventlog $ do …
--
-- Link with @-threaded -eventlog -with-rtsopts=-l@, and say in the environment where the log is to
-- be had: @GHC_EVENTLOG_UNIX_PATH@, or @GHC_EVENTLOG_INET_HOST@ and @GHC_EVENTLOG_INET_PORT@, or
-- @HECTIC_EVENTLOG@. Where the environment says nothing, 'withEventlog' does nothing. All variables
-- are listed in @hectic_eventlog.h@.
--
-- What goes wrong is an 'IOError' that says what to do.
module Hectic.Eventlog
  ( -- * Start and stop
    withEventlog
  , start
  , startAt
  , stop
  , waitForReader
    -- * While it runs
  , setDestination
  , flush
  , setFlushInterval
  , Class (..)
  , setClass
    -- * Profiles
  , startHeapProfile
  , stopHeapProfile
  , requestHeapCensus
  , startProfile
  , stopProfile
    -- * Commands from outside
  , registerCommand
  ) where

import Control.Exception (SomeException, finally, try)
import Control.Monad (unless)
import Data.Word (Word32, Word8)
import Foreign.C.String (CString, peekCString, withCString)
import Foreign.C.Types (CBool (..))
import Foreign.Marshal.Alloc (alloca, free)
import Foreign.Ptr (FunPtr, Ptr, nullPtr)
import Foreign.Storable (peek)
import System.Environment (getProgName)
import System.IO (hPutStrLn, stderr)
import System.IO.Error (ioeGetErrorString, tryIOError)

-- | Runs a program with its eventlog served where the environment says. Where that cannot be, the
-- program runs nevertheless, after stderr was told why.
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

-- | Serves the eventlog where the environment says; 'False': it says nothing.
start :: IO Bool
start = startWith nullPtr

-- | Serves it there: @listen:unix:PATH@, @listen:tcp:HOST:PORT@; or writes it there: @unix:PATH@,
-- @tcp:HOST:PORT@ (@,token-file=FILE@ behind it says the token in that file), @fifo:PATH@,
-- @file:PATH@, @fd:N@.
startAt :: String -> IO ()
startAt place = withCString place $ \text -> () <$ startWith text

startWith :: CString -> IO Bool
startWith place = alloca $ \started -> do
  hectic_start place started >>= check
  (/= 0) <$> peek started

-- | Ends the log. Readers get what is left of it.
stop :: IO ()
stop = hectic_stop

-- | Waits until there is a reader, for so many milliseconds at most; 0: for ever.
waitForReader :: Word32 -> IO ()
waitForReader ms = hectic_wait ms >>= check

-- | Ends the log where it is, and goes on with it in another place.
setDestination :: String -> IO ()
setDestination place = withCString place hectic_move >>= check

-- | Brings out what is in the capabilities' buffers. Before GHC 9.2 this takes a collection, and
-- needs a program that is linked statically, as is usual.
flush :: IO ()
flush = hectic_flush >>= check

-- | Every so many milliseconds; 0: never.
setFlushInterval :: Word32 -> IO ()
setFlushInterval ms = hectic_flush_every ms >>= check

-- | Classes of events, as @+RTS -l@ has them; in the runtime's own order.
data Class = Scheduler | GC | NonmovingGC | SparksSampled | SparksFull | User | Cap | InfoTables
  deriving (Eq, Show, Enum, Bounded)

-- | Switches a class. Needs a GHC newer than 9.14; an error says so.
setClass :: Class -> Bool -> IO ()
setClass class_ on = command "hectic" (fromIntegral (fromEnum class_) + if on then 16 else 32)

-- | Takes censuses by the timer. These need @+RTS -hT@, or another kind.
startHeapProfile, stopHeapProfile :: IO ()
startHeapProfile = command core 3
stopHeapProfile = command core 4

-- | One census, at the next context switch.
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
-- its own, which needs @-threaded@. What it throws is told on stderr.
registerCommand :: String -> Word8 -> IO () -> IO ()
registerCommand name number action = do
  handler <- wrap (\_ -> nullPtr <$ (try action >>= either told return))
  withCString name $ \text -> hectic_register text number handler nullPtr >>= check
 where
  told :: SomeException -> IO ()
  told problem = hPutStrLn stderr (name ++ " " ++ show number ++ ": " ++ show problem)

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
foreign import ccall safe "hectic_eventlog_move" hectic_move :: CString -> IO CString
foreign import ccall safe "hectic_eventlog_flush" hectic_flush :: IO CString
foreign import ccall safe "hectic_eventlog_flush_every" hectic_flush_every :: Word32 -> IO CString
foreign import ccall safe "hectic_eventlog_wait" hectic_wait :: Word32 -> IO CString
foreign import ccall safe "hectic_eventlog_command"
  hectic_command :: CString -> Word8 -> IO CString
foreign import ccall safe "hectic_eventlog_register"
  hectic_register :: CString -> Word8 -> FunPtr Handler -> Ptr () -> IO CString
