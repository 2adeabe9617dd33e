(require 'dbus)
(defconst path "/org/example/Foreign")
(defun serve (method function)
  (dbus-register-method :session "org.example.Foreign" path "org.flowbus.Navigation1.Presenter" method function t))
(serve "Present"
  (lambda (presentable name arguments details)
    (message "present %s" (caadr (assoc "reason" details)))
    ;; A list has the values of the answer: this one has one.
    `((:array (:dict-entry "visible" (:variant t)) (:dict-entry "title" (:variant ,(caadr (assoc "label" arguments))))))))
(serve "Withdraw" (lambda (presentable instance reason) (message "withdrawn %s %s" instance reason) :ignore))
(serve "Alive" (lambda () (message "alive") :ignore))
(dbus-register-service :session "org.example.Foreign")
(message "ready")
(while t (read-event nil nil 1))
