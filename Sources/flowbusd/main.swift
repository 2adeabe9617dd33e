// The service begins here.
