/** What callers see while Redis or the way to it is in trouble, on real servers. */
package dev.stoplight.redis.fault;
