package sip

import "regexp"

// personal matches personal data in errors of libraries: join tokens, SIP addresses, phone numbers, IP addresses.
var personal = regexp.MustCompile(`(?i)eyJ[\w-]+(\.[\w-]+)*|\bsips?:\S+|\+?\d{5,}|\b\d{1,3}(\.\d{1,3}){3}(:\d+)?|\[?[0-9a-f]*(:[0-9a-f]*){3,}\]?(:\d+)?`)
