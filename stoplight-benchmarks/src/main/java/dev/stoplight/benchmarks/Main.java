package dev.stoplight.benchmarks;

import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/** Runs the benchmarks; takes JMH's own command line. */
public final class Main {

  private Main() {}

  public static void main(String[] args) throws CommandLineOptionException, RunnerException {
    new Runner(new CommandLineOptions(args)).run();
  }
}
