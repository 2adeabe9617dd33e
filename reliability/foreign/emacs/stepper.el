(require 'dbus)
(defconst name "org.flowbus.Navigation1")
(defconst path "/org/flowbus/Navigation1/tree/trial")
(defun step (method &rest values)
  (message "%s" (apply #'dbus-call-method :session name path "org.flowbus.Navigation1.Stepper" method values)))
;; A handler for the well-known name hears nothing after the service is started again.
(dbus-register-signal :session nil path "org.flowbus.Navigation1.Flow" "NavigationOccurred"
  (lambda (&rest values) (message "heard %s" (nth 3 values))))

(step "EmitStep" "started" '(:array :signature "{sv}"))
(step "EmitStep" "filled"
  '(:array (:dict-entry "count" (:variant 7)) (:dict-entry "below" (:variant -7)) (:dict-entry "factor" (:variant 7))
           (:dict-entry "tags" (:variant ("a" "b"))) (:dict-entry "style" (:variant (:array (:dict-entry "colour" "red"))))
           (:dict-entry "large" (:variant :uint64 9223372036854775809))))
(condition-case failure (step "EmitStep" "nope" '(:array :signature "{sv}"))
  (dbus-error (message "%s" failure)))
(message "ready")
(read-from-minibuffer "")
(step "Emit" "started")
(while t (read-event nil nil 1))
