import unittest

from harness.plan import DOWNGRADE, KINDS, OF_GATEWAYS, UPGRADE, evictions, plan, rolling
from orders.plan import rolling as rolling_of_orders


class PlanTests(unittest.TestCase):
    def test_a_seed_gives_the_same_plan(self):
        self.assertEqual(plan("1", 100, 3, 20), plan("1", 100, 3, 20))
        self.assertNotEqual(plan("1", 100, 3, 20), plan("2", 100, 3, 20))

    def test_at_every_moment_a_gateway_is_spared(self):
        for seed in range(200):
            down = [each for each in plan(str(seed), 120, 2, 20, gap=(1, 3)) if each.kind in OF_GATEWAYS]
            for index, one in enumerate(down):
                for other in down[index + 1:]:
                    self.assertGreaterEqual(other.at, one.at + one.lasts, f"seed {seed}")

    def test_every_kind_comes_in_a_long_run(self):
        for seed in range(50):
            self.assertEqual(set(KINDS), {each.kind for each in plan(str(seed), 240, 3, 20)}, f"seed {seed}")

    def test_a_gateway_is_killed_also_in_a_short_run(self):
        for seed in range(200):
            self.assertIn("kill gateway", [each.kind for each in plan(str(seed), 24, 3, 12, gap=(1.5, 4))][:2])

    def test_redis_has_time_to_recover(self):
        for seed in range(50):
            faults = [each for each in plan(str(seed), 240, 3, 20) if each.kind.endswith("redis") or each.kind == "slow disk"]
            for one, other in zip(faults, faults[1:]):
                self.assertGreaterEqual(other.at, one.at + one.lasts + 8, f"seed {seed}")

    def test_the_provider_has_one_illness_at_a_time(self):
        for seed in range(50):
            faults = [each for each in plan(str(seed), 240, 3, 20, gap=(1, 3))
                      if each.kind in ("brownout", "sick connection", "black hole", "refuse connections")]
            for one, other in zip(faults, faults[1:]):
                self.assertGreaterEqual(other.at, one.at + one.lasts, f"seed {seed}")

    def test_a_short_run_has_shorter_faults(self):
        longest = max(each.lasts for each in plan("5", 240, 3, 12, scale=0.5) if each.kind == "brownout")
        self.assertLessEqual(longest, 10)

    def test_faults_come_in_order_and_within_the_load(self):
        times = [each.at for each in plan("3", 60, 3, 12)]
        self.assertEqual(sorted(times), times)
        self.assertLess(times[-1], 60)

    def test_evictions_come_again_and_again(self):
        faults = evictions("4", 60)
        self.assertEqual(faults, evictions("4", 60))
        self.assertGreater(len(faults), 6)
        self.assertTrue(all(5 <= later.at - earlier.at <= 8 for earlier, later in zip(faults, faults[1:])))

    def test_versions_are_replaced_forth_back_and_forth_one_gateway_at_a_time(self):
        steps = [(each.kind, each.target) for each in rolling(60, 2)]
        self.assertEqual(steps, [
            (UPGRADE, 0), (UPGRADE, 1), (DOWNGRADE, 0), (DOWNGRADE, 1), (UPGRADE, 0), (UPGRADE, 1)])
        for steps, last in ((rolling(60, 3), 60 - 5), (rolling_of_orders(60, 2), 60 - 5)):
            times = [each.at for each in steps]
            self.assertTrue(all(other - one > 4 for one, other in zip(times, times[1:])), times)
            self.assertLess(times[-1], last)
