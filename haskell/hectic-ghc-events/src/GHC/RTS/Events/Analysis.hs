-- | State machines over events: what they accept, and what they tell on the way.
module GHC.RTS.Events.Analysis
  ( Machine (..)
  , step
  , validate
  , validates
  , simulate
  , Profile (..)
  , profile
  , profileIndexed
  , profileRouted
  , extractIndexed
  , refineM
  , profileM
  , indexM
  , toList
  , toMaybe
  , Process (..)
  , routeM
  ) where

import Data.Map (Map)
import qualified Data.Map as M

import GHC.RTS.EventTypes (Timestamp)

-- | A machine with states @s@ and inputs @i@.
data Machine s i = Machine
  { initial :: s
  , final :: s -> Bool
  -- ^ it ends there
  , alpha :: i -> Bool
  -- ^ is it an input? Others are ignored
  , delta :: s -> i -> Maybe s
  -- ^ 'Nothing': the input is a fault in this state
  }

-- | The next state; or the state in which the input is a fault.
step :: Machine s i -> s -> i -> Either (s, i) s
step machine state input
  | final machine state || not (alpha machine input) = Right state
  | otherwise = maybe (Left (state, input)) Right (delta machine state input)

-- | The last state, or the first fault.
validate :: Machine s i -> [i] -> Either (s, i) s
validate machine = go (initial machine)
 where
  go state [] = Right state
  go state (input : rest) = step machine state input >>= (`go` rest)

-- | The states before each input, and after the last.
validates :: Machine s i -> [i] -> [Either (s, i) s]
validates machine = scanl (\state input -> state >>= \s -> step machine s input) (Right (initial machine))

-- | Outputs, and how they end.
data Process e a
  = Done
  | Fail e
  | Prod a (Process e a)
  deriving (Show)

toList :: Process e a -> [a]
toList (Prod a rest) = a : toList rest
toList _ = []

toMaybe :: Process e a -> Maybe e
toMaybe (Prod _ rest) = toMaybe rest
toMaybe (Fail fault) = Just fault
toMaybe Done = Nothing

-- | What is extracted at each input, from the state before it.
analyse :: Machine s i -> (s -> i -> Maybe o) -> [i] -> Process (s, i) o
analyse machine extract = go (initial machine)
 where
  go _ [] = Done
  go state (input : rest)
    | final machine state = Done
    | not (alpha machine input) = go state rest
    | otherwise = case delta machine state input of
        Nothing -> Fail (state, input)
        Just next -> maybe id Prod (extract state input) (go next rest)

-- | A machine for what contains its inputs.
refineM :: (i -> j) -> Machine s j -> Machine s i
refineM refine (Machine start isEnd isInput next) =
  Machine start isEnd (isInput . refine) (\state -> next state . refine)

-- | The states after each input.
simulate :: Machine s i -> [i] -> Process (s, i) (s, i)
simulate machine = analyse machine (\state input -> flip (,) input <$> delta machine state input)

-- | A state, and when it began.
data Profile s = Profile
  { profileState :: s
  , profileTime :: Timestamp
  }
  deriving (Show)

profileM :: Ord s => (i -> Timestamp) -> Machine s i -> Machine (Profile s) i
profileM timeOf (Machine start isEnd isInput next) =
  Machine (Profile start 0) (isEnd . profileState) isInput $ \(Profile state _) input ->
    flip Profile (timeOf input) <$> next state input

-- | A state that an input ends: when it began, and how long it was.
ended :: (i -> Timestamp) -> Profile s -> i -> Maybe (s, Timestamp, Timestamp)
ended timeOf (Profile state begin) input = Just (state, begin, timeOf input - begin)

-- | How long each state was.
profile :: (Ord s, Eq s) => Machine s i -> (i -> Timestamp) -> [i] -> Process (Profile s, i) (s, Timestamp, Timestamp)
profile machine timeOf = analyse (profileM timeOf machine) (ended timeOf)

-- | The same of a machine for each key.
profileIndexed
  :: (Ord k, Ord s, Eq s)
  => Machine s i
  -> (i -> Maybe k)
  -> (i -> Timestamp)
  -> [i]
  -> Process (Map k (Profile s), i) (k, (s, Timestamp, Timestamp))
profileIndexed machine keyOf timeOf =
  analyse (indexM keyOf (profileM timeOf machine)) (extractIndexed (ended timeOf) keyOf)

extractIndexed :: Ord k => (s -> i -> Maybe o) -> (i -> Maybe k) -> (Map k s -> i -> Maybe (k, o))
extractIndexed extract keyOf states input = do
  key <- keyOf input
  state <- M.lookup key states
  (,) key <$> extract state input

-- | A machine for each key of the inputs; an input without a key is a fault.
indexM :: Ord k => (i -> Maybe k) -> Machine s i -> Machine (Map k s) i
indexM keyOf machine = Machine M.empty (const False) (alpha machine) $ \states input -> do
  key <- keyOf input
  next <- delta machine (M.findWithDefault (initial machine) key states) input
  pure (M.insert key next states)

-- | The same as 'profileIndexed', with keys that another machine knows.
profileRouted
  :: (Ord k, Ord s, Eq s, Eq r)
  => Machine s i
  -> Machine r i
  -> (r -> i -> Maybe k)
  -> (i -> Timestamp)
  -> [i]
  -> Process ((Map k (Profile s), r), i) (k, (s, Timestamp, Timestamp))
profileRouted machine router keyOf timeOf =
  analyse (routeM router keyOf (profileM timeOf machine)) $ \(states, route) ->
    extractIndexed (ended timeOf) (keyOf route) states

-- | A machine for each key, which the state of the router after the input has; inputs without one are ignored.
routeM :: Ord k => Machine r i -> (r -> i -> Maybe k) -> Machine s i -> Machine (Map k s, r) i
routeM router keyOf machine =
  Machine (M.empty, initial router) (const False) (\input -> alpha router input || alpha machine input) $
    \(states, route) input -> do
      route' <- if alpha router input then delta router route input else Just route
      states' <- case keyOf route' input of
        Just key | alpha machine input -> do
          next <- delta machine (M.findWithDefault (initial machine) key states) input
          Just (M.insert key next states)
        _ -> Just states
      pure (states', route')
