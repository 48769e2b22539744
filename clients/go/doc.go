// Package events sends events to the Operational Event Service in the background, each stored once.
package events

// Version is the version of this module.
const Version = "0.1.0"
