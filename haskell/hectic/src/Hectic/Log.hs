-- | Logs, read in constant memory: files, pipes and standard input (@-@), plain or compressed.
--
-- > main = withLog "Main.eventlog" $ \eventlog ->
-- >   forEvents everything{classes = [GcEvents]} eventlog print
--
-- Reading continues after damage, as that of the command @hectic@ does: 'logDamage' lists it.
module Hectic.Log
  ( -- * In order of time
    Log
  , withLog
  , foldEvents
  , forEvents
  , readEvents
  , readEventLogFromFile
    -- ** What is known of a log
  , logSections
  , SectionInfo (..)
  , logIsComplete
  , logIsCutOff
  , logDamage
  , Damage (..)
    -- * In order of the file
  , foldFile
  , forFile
  , foldFileTo
  , End (..)
    -- * Selecting events
  , Selection (..)
  , everything
  , Class (..)
    -- * Errors
  , LogError (..)
  ) where

import Hectic.Internal.Event (LogError (..))
import Hectic.Internal.Log
