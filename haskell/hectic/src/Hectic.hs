-- | Reads the eventlogs of GHC's runtime, by libhectic: in constant memory, in order of time or of
-- the file, and also if they are damaged or cut off.
--
-- > import Hectic
-- > import qualified Hectic.Payload as P
-- >
-- > main :: IO ()
-- > main = withLog "Main.eventlog" $ \eventlog ->
-- >   forEvents everything{classes = [SchedulerEvents]} eventlog $ \event -> case payload event of
-- >     P.CreateThread{P.thread = thread} -> print (eventTime event, thread)
-- >     _ -> pure ()
--
-- "Hectic.Log" reads files, "Hectic.Live" programs that are running, "Hectic.Incremental" bytes that
-- arrive piece by piece, "Hectic.Tables" what hectic computes from a log, and "Hectic.Write" writes
-- logs.
module Hectic
  ( module Hectic.Log
  , module Hectic.Event
  ) where

import Hectic.Event
import Hectic.Log
