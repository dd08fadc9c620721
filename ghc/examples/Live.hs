-- | A program that serves its eventlog with one line of code, and that can be controlled while it
-- runs: by commands on standard input (@help@ lists them), or by @hectic ctl@. To watch it:
--
-- > GHC_EVENTLOG_UNIX_PATH=/tmp/live.sock ./Live
module Main (main) where

import Control.Concurrent (forkIO, myThreadId, threadDelay, throwTo)
import Control.Monad (forM_, forever, unless)
import Data.Char (toLower)
import Debug.Trace (traceEventIO, traceMarkerIO)
import Hectic.Eventlog
import System.Exit (ExitCode (ExitSuccess))
import System.IO (BufferMode (LineBuffering), hPutStrLn, hSetBuffering, isEOF, stderr, stdout)
import System.IO.Error (ioeGetErrorString, tryIOError)
import Text.Read (readMaybe)

main :: IO ()
main = withEventlog $ do
  registerCommand "live" 1 (traceEventIO "live: hello")
  hSetBuffering stdout LineBuffering
  mainThread <- myThreadId
  _ <- forkIO (console (throwTo mainThread ExitSuccess))
  _ <- forkIO . forever $ do
    threadDelay 1000
    traceEventIO "tick"
  forM_ [1 :: Int ..] $ \n -> do
    traceEventIO ("sum " ++ show (sum [1 .. n `mod` 1000000]))
    threadDelay 100

-- | Executes commands until standard input ends. The program goes on until @quit@.
console :: IO () -> IO ()
console quit = do
  ended <- isEOF
  unless ended $ do
    line <- getLine
    result <- tryIOError (execute quit (words line))
    case result of
      Right () -> putStrLn ("done: " ++ line)
      Left problem -> hPutStrLn stderr ("Live: " ++ ioeGetErrorString problem)
    console quit

execute :: IO () -> [String] -> IO ()
execute quit line = case line of
  [] -> pure ()
  ["help"] -> putStr (unlines ([column usage ++ meaning | (usage, meaning, _) <- commands] ++ [column "quit" ++ "end the program"]))
  ["quit"] -> quit
  _ -> case [action | (_, _, command) <- commands, Just action <- [command line]] of
    action : _ -> action
    [] -> ioError (userError (unwords line ++ ": no such command; try help"))
 where
  column text = text ++ replicate (28 - length text) ' '

-- | How a command is written, what it does, and what executes it: 'Nothing' for other lines.
commands :: [(String, String, [String] -> Maybe (IO ()))]
commands =
  [ ("on, off", "switch logging; readers stay connected", oneWord setLogging)
  , ("class NAME on|off", "switch a class of events; class names them", classSwitch)
  , ("to DESTINATION", "go on with the log there: file:PATH, unix:PATH …", destination setDestination)
  , ("start DESTINATION, stop", "begin a log; end it", startOrStop)
  , ("flush", "send what the capabilities' buffers hold", word "flush" flush)
  , ("flush-every MS", "the same periodically; 0: when they are full", number "flush-every" setFlushInterval)
  , ("replay", "send the live state to all readers", word "replay" replayState)
  , ("replay-every MS", "the same periodically; 0: never", number "replay-every" setReplayInterval)
  , ("census", "a heap census (+RTS -hT)", word "census" requestHeapCensus)
  , ("heap on|off", "periodic censuses (+RTS -hT -i0.1)", toggle "heap" startHeapProfile stopHeapProfile)
  , ("profile on|off", "time profile (ghc -prof, +RTS -p)", toggle "profile" startProfile stopProfile)
  , ("say TEXT, mark TEXT", "a message, a marker in the log", say)
  ]
 where
  classes = [minBound .. maxBound :: Class]
  nameOf = map toLower . show
  isOn text = lookup text [("on", True), ("off", False)]
  oneWord switch line = case line of
    [text] -> switch <$> isOn text
    _ -> Nothing
  classSwitch line = case line of
    ["class"] -> Just (putStrLn (unwords (map nameOf classes)))
    ["class", name, text] -> case [c | c <- classes, nameOf c == name] of
      c : _ -> setClass c <$> isOn text
      [] -> Just (ioError (userError ("no class is named " ++ name)))
    _ -> Nothing
  destination move line = case line of
    ["to", place] -> Just (move place)
    _ -> Nothing
  startOrStop line = case line of
    ["start", place] -> Just (startAt place)
    ["stop"] -> Just stop
    _ -> Nothing
  word name action line = if line == [name] then Just action else Nothing
  number name action line = case line of
    [name', text] | name' == name -> action <$> readMaybe text
    _ -> Nothing
  toggle name begin end line = case line of
    [name', text] | name' == name -> (\on -> if on then begin else end) <$> isOn text
    _ -> Nothing
  say line = case line of
    "say" : text -> Just (traceEventIO (unwords text))
    "mark" : text -> Just (traceMarkerIO (unwords text))
    _ -> Nothing
