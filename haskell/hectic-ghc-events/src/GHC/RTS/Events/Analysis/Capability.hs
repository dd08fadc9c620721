-- | Where threads and tasks are.
module GHC.RTS.Events.Analysis.Capability
  ( capabilityThreadPoolMachine
  , capabilityThreadRunMachine
  , capabilityThreadIndexer
  , capabilityTaskPoolMachine
  , capabilityTaskOSMachine
  ) where

import Control.Monad (guard)
import Data.Map (Map)
import qualified Data.Map as M

import GHC.RTS.EventTypes
import GHC.RTS.Events.Analysis

-- | 'Nothing': it has the key already.
insertNew :: Ord k => k -> v -> Map k v -> Maybe (Map k v)
insertNew key value m = M.insert key value m <$ guard (M.notMember key m)

-- | 'Nothing': it does not have the key.
deleteOld :: Ord k => k -> Map k v -> Maybe (Map k v)
deleteOld key m = M.delete key m <$ guard (M.member key m)

-- | The cap to which each thread belongs.
capabilityThreadPoolMachine :: Machine (Map ThreadId Int) Event
capabilityThreadPoolMachine = Machine M.empty (const False) isInput next
 where
  isInput event = case evSpec event of
    CreateThread{} -> True
    StopThread{} -> True
    MigrateThread{} -> True
    _ -> False
  next caps event = do
    on <- evCap event
    case evSpec event of
      CreateThread t -> insertNew t on caps
      StopThread t ThreadFinished -> deleteOld t caps
      StopThread{} -> Just caps
      MigrateThread t to -> deleteOld t caps >>= insertNew t to
      _ -> Nothing

-- | The thread that runs on each cap.
capabilityThreadRunMachine :: Machine (Map Int ThreadId) Event
capabilityThreadRunMachine = Machine M.empty (const False) isInput next
 where
  isInput event = case evSpec event of
    RunThread{} -> True
    StopThread{} -> True
    _ -> False
  next running event = do
    on <- evCap event
    case evSpec event of
      RunThread t -> guard (t `notElem` M.elems running) >> insertNew on t running
      StopThread t _ -> M.filter (/= t) running <$ guard (t `elem` M.elems running)
      _ -> Just running

-- | The thread that an event is about, or during which it happened.
capabilityThreadIndexer :: Map Int ThreadId -> Event -> Maybe ThreadId
capabilityThreadIndexer running event = case evSpec event of
  CreateSparkThread t -> Just t
  CreateThread t -> Just t
  RunThread t -> Just t
  StopThread t _ -> Just t
  ThreadRunnable t -> Just t
  MigrateThread t _ -> Just t
  WakeupThread t to -> t <$ guard (Just to == evCap event)
  _ -> evCap event >>= (`M.lookup` running)

isAboutTask :: Event -> Bool
isAboutTask event = case evSpec event of
  TaskCreate{} -> True
  TaskDelete{} -> True
  TaskMigrate{} -> True
  _ -> False

-- | The cap of each task.
capabilityTaskPoolMachine :: Machine (Map TaskId Int) Event
capabilityTaskPoolMachine = Machine M.empty (const False) isAboutTask next
 where
  next caps event = case evSpec event of
    TaskCreate task on _ -> insertNew task on caps
    TaskDelete task -> deleteOld task caps
    TaskMigrate task from to -> guard (M.lookup task caps == Just from) >> Just (M.insert task to caps)
    _ -> Nothing

-- | The cap of each thread of the operating system, and that of each task.
capabilityTaskOSMachine :: Machine (Map KernelThreadId Int, Map TaskId KernelThreadId) Event
capabilityTaskOSMachine = Machine (M.empty, M.empty) (const False) isAboutTask next
 where
  next (caps, kernels) event = case evSpec event of
    TaskCreate task on kernel -> flip (,) <$> insertNew task kernel kernels <*> insertNew kernel on caps
    TaskDelete task -> do
      kernel <- M.lookup task kernels
      Just (M.delete kernel caps, M.delete task kernels)
    TaskMigrate task _ to -> do
      kernel <- M.lookup task kernels
      Just (M.insert kernel to caps, kernels)
    _ -> Nothing
