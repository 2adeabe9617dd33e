{-# LANGUAGE OverloadedStrings #-}
import Control.Monad (forever)
import Control.Concurrent (threadDelay)
import DBus
import DBus.Client
import Data.Int (Int32)
import qualified Data.Map as Map
import Data.Word (Word64)
import System.IO

type Values = Map.Map String Variant

main :: IO ()
main = do
    hSetBuffering stdout LineBuffering
    bus <- connectSession
    let step method values = do
            reply <- call bus (methodCall "/org/flowbus/Navigation1/tree/trial" "org.flowbus.Navigation1.Stepper" method)
                { methodCallDestination = Just "org.flowbus.Navigation1", methodCallBody = values }
            case reply of
                Right answer | [serial, verdict] <- methodReturnBody answer
                             , Just number <- fromVariant serial, Just text <- fromVariant verdict ->
                    putStrLn (show (number :: Word64) ++ " " ++ text)
                Right answer -> print answer
                Left failure -> putStrLn (formatErrorName (methodErrorName failure) ++ " " ++ methodErrorMessage failure)
    -- A rule with the well-known sender would match nothing: signals come from the unique name.
    _ <- addMatch bus matchAny { matchInterface = Just "org.flowbus.Navigation1.Flow", matchMember = Just "NavigationOccurred" } $
        \signal -> case map fromVariant (take 1 (drop 3 (signalBody signal))) of
            [Just name] -> putStrLn ("heard " ++ name)
            _ -> return ()
    let int = toVariant :: Int32 -> Variant
    step "EmitStep" [toVariant ("started" :: String), toVariant (Map.empty :: Values)]
    step "EmitStep" [toVariant ("filled" :: String), toVariant (Map.fromList
        [ ("count", int 7), ("below", int (-7)), ("factor", int 7), ("tags", toVariant ["a", "b" :: String])
        , ("style", toVariant (Map.fromList [("colour", "red")] :: Map.Map String String))
        , ("large", toVariant (9223372036854775809 :: Word64)) ] :: Values)]
    step "EmitStep" [toVariant ("nope" :: String), toVariant (Map.empty :: Values)]
    putStrLn "ready"
    _ <- getLine
    step "Emit" [toVariant ("started" :: String)]
    forever (threadDelay maxBound)
