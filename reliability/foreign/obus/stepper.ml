open OBus_value
open Lwt.Infix

let () =
  Lwt_main.run
    ( OBus_bus.session () >>= fun bus ->
      let peer = OBus_peer.make ~connection:bus ~name:"org.flowbus.Navigation1" in
      let trial = OBus_proxy.make ~peer ~path:[ "org"; "flowbus"; "Navigation1"; "tree"; "trial" ] in
      let call member types values =
        Lwt.catch
          (fun () ->
            OBus_proxy.call trial ~interface:"org.flowbus.Navigation1.Stepper" ~member ~i_args:types
              ~o_args:(C.seq2 C.basic_uint64 C.basic_string) values
            >>= fun (serial, verdict) -> Lwt_io.printlf "%Lu %s" serial verdict)
          (function
            | OBus_error.DBus (name, text) -> Lwt_io.printlf "%s %s" name text
            | other -> Lwt.fail other)
      in
      let step name arguments = call "EmitStep" (C.seq2 C.basic_string (C.dict C.string C.variant)) (name, arguments) in
      let int number = V.basic_int32 number in
      step "started" [] >>= fun () ->
      step "filled"
        [ ("count", int 7l); ("below", int (-7l)); ("factor", int 7l);
          ("tags", C.make_single (C.array C.basic_string) [ "a"; "b" ]);
          ("style", C.make_single (C.dict C.string C.basic_string) [ ("colour", "red") ]);
          (* Its uint64 is an int64 with the same bits. *)
          ("large", V.basic_uint64 0x8000000000000001L) ]
      >>= fun () ->
      step "nope" [] >>= fun () ->
      Lwt_io.printl "ready" >>= fun () ->
      Lwt_io.read_line Lwt_io.stdin >>= fun _ -> call "Emit" (C.seq1 C.basic_string) "started" )
