/** What tests of every module share: a clock that tests move, a store that tells what it was asked, a Redis server of one's own. */
package dev.stoplight.testing;
