package call

// ForgetAnswers is what Reap does every now and then.
var ForgetAnswers = (*Service).forgetAnswers
