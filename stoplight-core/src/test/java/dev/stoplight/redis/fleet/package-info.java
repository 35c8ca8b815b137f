/** Several instances of a service on one Redis, in one process and in several. */
package dev.stoplight.redis.fleet;
