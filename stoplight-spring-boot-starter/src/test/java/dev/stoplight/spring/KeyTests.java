package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerState;
import dev.stoplight.CircuitOpenException;
import dev.stoplight.testing.TestClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** BEHAVIOURS 21: a keyed breaker trips alone. */
class KeyTests {

    record Client(String id, Address address) {}

    record Address(String country) {}

    static class Tenants {
        public String current(String prefix) {
            return prefix + "-tenant";
        }
    }

    interface Payments {
        @CircuitBreaker(name = "byInterfaceName", key = "#account")
        void byInterfaceName(String account);
    }

    static class Gateway implements Payments {

        @CircuitBreaker(name = "byName", key = "#clientId", threshold = 2)
        public String byName(String clientId, boolean works) {
            if (!works) {
                throw new IllegalStateException("down for " + clientId);
            }
            return clientId;
        }

        @CircuitBreaker(name = "byP", key = "#p1")
        public void byP(String first, int second) {}

        @CircuitBreaker(name = "byA", key = "#a0")
        public void byA(long first) {}

        @CircuitBreaker(name = "byProperty", key = "#client.id + '/' + #client.address?.country")
        public void byProperty(Client client) {}

        @CircuitBreaker(name = "byRoot", key = "#root.method.name + #root.args.length + #root.target.region")
        public void byRoot(String any) {}

        @CircuitBreaker(name = "byBean", key = "@tenants.current(#p0)")
        public void byBean(String prefix) {}

        @CircuitBreaker(name = "byArray", key = "#ids")
        public void byArray(String... ids) {}

        @Override
        public void byInterfaceName(String id) {}

        public String getRegion() {
            return "eu";
        }
    }

    private final ApplicationContextRunner runner = Contexts.runner(Gateway.class, Tenants.class);

    @Test
    void eachKeyHasALightOfItsOwnWithTheSettingsOfTheName() {
        runner.run(context -> {
            Gateway gateway = context.getBean(Gateway.class);
            assertThatIllegalStateException().isThrownBy(() -> gateway.byName("a", false));
            assertThatIllegalStateException().isThrownBy(() -> gateway.byName("a", false));

            assertThatExceptionOfType(CircuitOpenException.class)
                    .isThrownBy(() -> gateway.byName("a", true))
                    .satisfies(open -> assertThat(open.name()).isEqualTo("byName:a"));
            assertThat(gateway.byName("b", true)).isEqualTo("b");
            assertThat(Contexts.breaker(context, "byName").state()).isEqualTo(BreakerState.CLOSED);
        });
    }

    @Test
    void argumentsAreReachedByNameByIndexByPropertyThroughTheRootAndThroughBeans() {
        runner.run(context -> {
            Gateway gateway = context.getBean(Gateway.class);
            gateway.byP("x", 7);
            gateway.byA(8L);
            gateway.byProperty(new Client("c", new Address("de")));
            gateway.byProperty(new Client("d", null));
            gateway.byRoot("x");
            gateway.byBean("blue");
            gateway.byInterfaceName("acc");
            gateway.byArray("a", "b");
            gateway.byArray("a", "b");

            assertThat(keys(context.getBean(BreakerRegistry.class)))
                    .containsExactlyInAnyOrder(
                            "byP:7", "byA:8", "byProperty:c/de", "byProperty:d/null", "byRoot:byRoot1eu", "byBean:blue-tenant",
                            "byInterfaceName:acc", "byArray:{a, b}");
        });
    }

    static class BeanKeys {

        @CircuitBreaker(name = "dotted", key = "@'tenants.ofParent'.current(#p0)")
        public void dotted(String prefix) {}

        @CircuitBreaker(name = "factory", key = "&tenantsFactory.objectType.simpleName")
        public void factory() {}

        @CircuitBreaker(name = "environment", key = "@environment.getProperty('region') + @systemProperties['zone']")
        public void environment() {}

        @CircuitBreaker(name = "bare", key = "Method.name + {'a', 'bb'}.![length()] + #root?.target.class.simpleName")
        public void bare() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Factories {

        @Bean
        static FactoryBean<Tenants> tenantsFactory() {
            return new FactoryBean<>() {
                @Override
                public Tenants getObject() {
                    return new Tenants();
                }

                @Override
                public Class<?> getObjectType() {
                    return Tenants.class;
                }
            };
        }
    }

    @Test
    void beansOfAParentFactoriesAndTheEnvironmentAreReachedAsWell() {
        ApplicationContextRunner own = Contexts.runner(BeanKeys.class, Factories.class)
                .withPropertyValues("region=eu")
                .withSystemProperties("zone=1");
        new ApplicationContextRunner().withBean("tenants.ofParent", Tenants.class).run(parent -> own.withParent(parent).run(context -> {
            BeanKeys keyed = context.getBean(BeanKeys.class);
            keyed.dotted("red");
            keyed.factory();
            keyed.environment();
            keyed.bare();

            assertThat(keys(context.getBean(BreakerRegistry.class)))
                    .containsExactlyInAnyOrder("dotted:red-tenant", "factory:Tenants", "environment:eu1", "bare:bare1,2BeanKeys");
        }));
    }

    @Test
    void anExpressionStaysRightAfterItWasCompiled() {
        runner.run(context -> {
            Gateway gateway = context.getBean(Gateway.class);
            for (int i = 0; i < 300; i++) {
                gateway.byProperty(new Client("c" + i % 3, i % 2 == 0 ? null : new Address("de")));
            }

            assertThat(keys(context.getBean(BreakerRegistry.class)))
                    .containsExactlyInAnyOrder(
                            "byProperty:c0/null", "byProperty:c0/de", "byProperty:c1/null", "byProperty:c1/de", "byProperty:c2/null",
                            "byProperty:c2/de");
        });
    }

    @Test
    void aCallWithoutAKeyUsesTheBreakerOfTheName() {
        runner.run(context -> {
            Gateway gateway = context.getBean(Gateway.class);
            gateway.byName(null, true);
            gateway.byName("", true);

            assertThat(keys(context.getBean(BreakerRegistry.class))).isEmpty();
            assertThat(Contexts.breaker(context, "byName").calls().succeeded()).isEqualTo(2);
        });
    }

    @Test
    void aKeyThatCannotBeEvaluatedFailsTheCallAndSaysWhy() {
        runner.run(context -> assertThatIllegalStateException()
                .isThrownBy(() -> context.getBean(Gateway.class).byProperty(null))
                .withMessage("key '#client.id + '/' + #client.address?.country' of Gateway.byProperty(Client) could not be evaluated:"
                        + " EL1007E: Property or field 'id' cannot be found on null"));
    }

    @Test
    void tenThousandKeysLeaveNothingInTheStoreWhileGreenAndIdleOnesLeaveMemory() {
        Contexts.runner(Gateway.class, Tenants.class, Contexts.Clock.class)
                .withPropertyValues("stoplight.keyed.max-idle=5m")
                .run(context -> {
                    Gateway gateway = context.getBean(Gateway.class);
                    BreakerRegistry registry = context.getBean(BreakerRegistry.class);
                    for (int i = 0; i < 10_000; i++) {
                        gateway.byName("client-" + i, true);
                    }
                    assertThat(keys(registry)).hasSize(10_000);
                    assertThat(registry.known().toCompletableFuture().join()).isEmpty();

                    context.getBean(TestClock.class).advance(Duration.ofSeconds(301));
                    gateway.byName("fresh", true);

                    assertThat(keys(registry)).containsExactly("byName:fresh");
                });
    }

    @Test
    void noMoreKeysAreKeptThanAllowed() {
        Contexts.runner(Gateway.class, Tenants.class)
                .withPropertyValues("stoplight.keyed.max-size=10")
                .run(context -> {
                    for (int i = 0; i < 100; i++) {
                        context.getBean(Gateway.class).byName("client-" + i, true);
                    }

                    assertThat(keys(context.getBean(BreakerRegistry.class))).hasSizeLessThanOrEqualTo(10);
                });
    }

    private static List<String> keys(BreakerRegistry registry) {
        return registry.breakers().filter(breaker -> breaker.key() != null).map(Breaker::id).toList();
    }
}
